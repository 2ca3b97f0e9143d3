// SPDX-License-Identifier: Apache-2.0
// The page begins here.
import { createRoot } from 'react-dom/client';
import { App } from './shell/app';
import { EditorContext } from './shell/context';
import { Editor } from './state/editor';
import '@fontsource-variable/inter/wght.css';
import 'uplot/dist/uPlot.min.css';
import './shell/style/base.css';
import './shell/style/frame.css';
import './shell/style/sheet.css';
import './shell/style/panels.css';
import './shell/style/text.css';
import './shell/style/results.css';
import './shell/style/dialogs.css';

const editor = new Editor();
void editor.start();
(window as unknown as { orreryEditor: Editor }).orreryEditor = editor;
createRoot(document.getElementById('app')!).render(
  <EditorContext value={editor}>
    <App />
  </EditorContext>,
);
