// SPDX-License-Identifier: Apache-2.0
// Light or dark: as chosen, else as the system is.
import { useEffect } from 'react';
import { useApp, useEditor } from './context';

export function useTheme() {
  const editor = useEditor();
  const choice = useApp((s) => s.preferences.theme);
  useEffect(() => {
    const media = window.matchMedia('(prefers-color-scheme: dark)');
    const apply = () => {
      const dark = choice === 'dark' || (choice === 'system' && media.matches);
      document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
      editor.store.set({ dark });
    };
    apply();
    media.addEventListener('change', apply);
    return () => media.removeEventListener('change', apply);
  }, [choice, editor]);
}
