// SPDX-License-Identifier: Apache-2.0
// File, Edit, View, Model, Tools, Help: every command, with its key.
import { Fragment } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components';
import type { SheetView } from '../canvas/sheet_view';
import { type Menu as MenuName, commands, menus, perform } from '../keys/commands';
import { keysOf, shownKey } from '../keys/table';
import { useApp, useEditor } from './context';

function OneMenu({ name, sheet }: { name: MenuName; sheet: SheetView | null }) {
  const editor = useEditor();
  const state = useApp((s) => s);
  const items = commands.filter((c) => c.menu === name && c.present?.(state) !== false);
  const disabled = items.filter((c) => c.enabled && !c.enabled(state)).map((c) => c.id);
  return (
    <Menu
      className="menu"
      aria-label={name}
      disabledKeys={disabled}
      onAction={(id) => perform(String(id), editor, sheet)}
    >
      {items.map((c, k) => (
        <Fragment key={c.id}>
          {k > 0 && items[k - 1]!.group !== c.group && <Separator />}
          <MenuItem id={c.id} textValue={c.title}>
            <span className="check" aria-hidden="true">
              {c.checked?.(state) ? '✓' : ''}
            </span>
            <span>
              {c.title}
              {c.id === 'undo' && state.doc?.undo ? ` ${state.doc.undo}` : ''}
              {c.id === 'redo' && state.doc?.redo ? ` ${state.doc.redo}` : ''}
            </span>
            <kbd>{shownKey(keysOf(c.id)[0] ?? '')}</kbd>
          </MenuItem>
        </Fragment>
      ))}
    </Menu>
  );
}

export function MenuBar({ sheet }: { sheet: SheetView | null }) {
  return (
    <nav className="menu-bar" aria-label="Menus">
      {menus.map((name) => (
        <MenuTrigger key={name}>
          <Button className="menu-button">{name}</Button>
          <Popover placement="bottom start" offset={2}>
            <OneMenu name={name} sheet={sheet} />
          </Popover>
        </MenuTrigger>
      ))}
    </nav>
  );
}
