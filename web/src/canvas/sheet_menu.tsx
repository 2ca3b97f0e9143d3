// SPDX-License-Identifier: Apache-2.0
// The menu of the right mouse button.
import { Menu, MenuItem, Popover, Separator, MenuTrigger, Button } from 'react-aria-components';
import { commandById, perform } from '../keys/commands';
import { keysOf, shownKey } from '../keys/table';
import { useApp, useEditor } from '../shell/context';
import type { SheetView } from './sheet_view';

const onBlocks = ['enter', 'look-inside', 'parameters', '|', 'cut', 'copy', 'duplicate', 'remove', '|', 'rename', 'rotate', 'flip', 'comment-out', '|', 'group', 'ungroup', 'mask', 'auto-mask', '|', 'link-to']; // prettier-ignore
const onSheet = ['paste', 'note', 'arrange', 'select-all', '|', 'fit', 'leave', '|', 'simulation', 'run'];

export function SheetMenu({
  at,
  sheet,
  onClose,
}: {
  at: { x: number; y: number };
  sheet: SheetView;
  onClose: () => void;
}) {
  // prettier-ignore
  const editor = useEditor();
  const state = useApp((s) => s);
  const list = state.selection.blocks.size || state.selection.branches.size ? onBlocks : onSheet;
  const items = list.filter((id) => id === '|' || commandById.get(id)?.enabled?.(state) !== false);
  return (
    <MenuTrigger isOpen onOpenChange={(open) => !open && onClose()}>
      <Button
        className="menu-anchor"
        style={{ left: at.x, top: at.y }}
        aria-label="Menu of the sheet"
        excludeFromTabOrder
      />
      <Popover placement="bottom start" offset={0}>
        <Menu
          className="menu"
          aria-label="Menu of the sheet"
          onAction={(id) => {
            onClose();
            perform(String(id), editor, sheet);
          }}
        >
          {items.map((id, k) =>
            id === '|' ? (
              <Separator key={k} />
            ) : (
              <MenuItem key={id} id={id} textValue={commandById.get(id)!.title}>
                <span>{commandById.get(id)!.title}</span>
                <kbd>{shownKey(keysOf(id)[0] ?? '')}</kbd>
              </MenuItem>
            ),
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
