// SPDX-License-Identifier: Apache-2.0
// The dialog that is open, if any.
import type { SheetView } from '../canvas/sheet_view';
import { CommandSearch } from './command_search';
import { useApp } from './context';
import { GalleryDialog, OpenDialog, SaveAsDialog, UnsavedDialog } from './file_dialogs';
import { FindDialog } from './find_dialog';
import { AboutDialog, BreaksDialog, HistoryDialog, KeysDialog, LinkToDialog, NoteDialog, RenameDialog, SettingsDialog } from './small_dialogs'; // prettier-ignore
import { BuilderDialog } from './builder_dialog';
import { CodeDialog } from './code_dialog';
import { ToolDialog } from './tool_dialog';
import { toolTitle } from '../keys/commands';
import { DiffDialog } from './diff_dialog';
import { ExportDialog, FmuDialog } from './exchange_dialogs';
import { MaskDialog } from './mask_dialog';
import { InitializationDialog, LineariseDialog, SimulationDialog, TextDialog } from './tool_dialogs';

export function Dialogs({ sheet }: { sheet: SheetView | null }) {
  const dialog = useApp((s) => s.dialog);
  switch (dialog?.kind) {
    case 'commands':
      return <CommandSearch sheet={sheet} />;
    case 'find':
      return <FindDialog />;
    case 'settings':
      return <SettingsDialog />;
    case 'keys':
      return <KeysDialog />;
    case 'simulation':
      return <SimulationDialog />;
    case 'initialization':
      return <InitializationDialog />;
    case 'mask':
      return <MaskDialog />;
    case 'open':
      return <OpenDialog />;
    case 'saveAs':
      return <SaveAsDialog />;
    case 'gallery':
      return <GalleryDialog />;
    case 'diff':
      return <DiffDialog />;
    case 'export':
      return <ExportDialog />;
    case 'linearise':
      return <LineariseDialog />;
    case 'schedule':
      return <TextDialog what="schedule" title="What runs when" />;
    case 'about':
      return <AboutDialog />;
    case 'breaks':
      return <BreaksDialog />;
    case 'rename':
      return <RenameDialog />;
    case 'history':
      return <HistoryDialog />;
    case 'note':
      return <NoteDialog note={dialog.note ?? 0} />;
    case 'fmu':
      return <FmuDialog />;
    case 'tool':
      return <ToolDialog key={dialog.tool} word={dialog.tool ?? ''} title={toolTitle(dialog.tool ?? '')} />;
    case 'code':
      return <CodeDialog block={dialog.block ?? ''} />;
    case 'builder':
      return <BuilderDialog block={dialog.block ?? ''} />;
    case 'linkTo':
      return <LinkToDialog />;
    case 'unsaved':
      return <UnsavedDialog then={dialog.then ?? (() => {})} />;
    default:
      return null;
  }
}
