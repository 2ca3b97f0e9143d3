// SPDX-License-Identifier: Apache-2.0
// The sheet as a component: three canvases, the pointer, the keyboard, and an off-screen list for screen readers.
import { useEffect, useMemo, useRef, useState } from 'react';
import { BlockList } from '../access/block_list';
import { perform } from '../keys/commands';
import { commandFor, startsTyping } from '../keys/table';
import { useApp, useEditor } from '../shell/context';
import { paste } from '../state/edit_actions';
import type { State } from '../state/state';
import { whyNot } from '../state/steps';
import { type PointerInput, idle, reduceGesture } from './gestures';
import { hitTest } from './hit';
import { Minimap } from './minimap';
import { Performer } from './perform';
import type { Point } from './scene';
import { SheetView } from './sheet_view';
import { TypeToAdd } from './type_to_add';
import { pan, toSheet, zoomAt } from './viewport';
import { Tooltip } from './tooltip';
import { SheetMenu } from './sheet_menu';

const cursorOf = (sheet: SheetView): string => {
  const g = sheet.gesture;
  if (g.kind === 'pan') return 'grabbing';
  if (g.kind === 'move') return g.copy ? 'copy' : 'move';
  if (g.kind === 'connect') return g.reason ? 'not-allowed' : 'crosshair';
  if (g.kind !== 'idle') return 'crosshair';
  const { hover } = g;
  if (hover.kind === 'corner')
    return hover.corner === 'nw' || hover.corner === 'se' ? 'nwse-resize' : 'nesw-resize';
  if (hover.kind === 'port') return 'crosshair';
  if (hover.kind === 'branch') {
    if (hover.end) return 'grab';
    const points = hover.link.branches[hover.branch]!.points;
    const [a, b] = [points[hover.segment]!, points[hover.segment + 1]!];
    return a[1] === b[1] ? 'row-resize' : 'col-resize';
  }
  return 'default';
};

export function Sheet({ onSheet }: { onSheet: (sheet: SheetView) => void }) {
  const editor = useEditor();
  const host = useRef<HTMLDivElement>(null);
  const [sheet, setSheet] = useState<SheetView | null>(null);
  const [menu, setMenu] = useState<{ x: number; y: number } | null>(null);
  const title = useApp((s) => s.doc?.name ?? '');
  const diagram = useApp((s) => s.diagram);
  const empty = useApp((s) => s.scene.blocks.length === 0 && s.sceneOf !== '');
  const focusBlock = useApp((s) => s.focusBlock);

  useEffect(() => {
    const element = host.current!;
    const [scene, live, gesture] = [...element.querySelectorAll('canvas')] as HTMLCanvasElement[];
    const view = new SheetView({ scene: scene!, live: live!, gesture: gesture! }, editor);
    const performer = new Performer(editor, view);
    let before: State | null = null;
    const update = () => {
      view.update(editor.state, before);
      before = editor.state;
    };
    const leave = editor.store.subscribe(update);
    const observer = new ResizeObserver(() => view.resize(element.clientWidth, element.clientHeight));
    observer.observe(element);
    view.resize(element.clientWidth, element.clientHeight);
    update();
    editor.sheet = {
      fit: () => view.fit(),
      revealBlocks: (names) => view.revealBlocks(names),
      focus: () => element.focus(),
    };
    if (editor.state.sceneOf) view.fit();
    const stop = listen(element, view, performer);
    (window as unknown as { orrerySheet: SheetView }).orrerySheet = view;
    setSheet(view);
    onSheet(view);
    return () => {
      leave();
      observer.disconnect();
      stop();
    };

    function listen(element: HTMLElement, view: SheetView, performer: Performer) {
      const touches = new Map<number, Point>();
      let space = false;
      let spaceUsed = false;
      let held: PointerInput | null = null;
      const input = (kind: PointerInput['kind'], e: MouseEvent): PointerInput => {
        const box = element.getBoundingClientRect();
        const screen: Point = [e.clientX - box.left, e.clientY - box.top];
        const at = toSheet(view.view, screen);
        const s = editor.state;
        return {
          kind, at, screen, button: e.button, shift: e.shiftKey, ctrl: e.ctrlKey || e.metaKey, alt: e.altKey, space,
          hit: hitTest(view.painter, at, view.view.zoom, s.selection.blocks),
        }; // prettier-ignore
      };
      const send = (e: PointerInput) => {
        const s = editor.state;
        const [next, messages] = reduceGesture(view.gesture, e, {
          scene: s.scene,
          selection: s.selection,
          zoom: view.view.zoom,
          readOnly: s.link !== 'open' || s.doc?.read_only === true,
          canConnect: whyNot,
        });
        // Messages first: the release of a drag must hold the picture until the answer is there.
        performer.do(messages);
        view.setGesture(next);
        element.style.cursor = space ? 'grab' : cursorOf(view);
      };
      const down = (e: PointerEvent) => {
        if (e.target !== view['canvases'].gesture) return;
        element.focus();
        view.keyboard = false;
        touches.set(e.pointerId, [e.clientX, e.clientY]);
        if (touches.size > 1) return send({ ...input('cancel', e) });
        element.setPointerCapture(e.pointerId);
        if (space) spaceUsed = true;
        held = input('down', e);
        send(held);
      };
      const move = (e: PointerEvent) => {
        const last = touches.get(e.pointerId);
        if (touches.size === 2 && last) return pinch(e, last);
        if (last) touches.set(e.pointerId, [e.clientX, e.clientY]);
        const next = input('move', e);
        view.setPointer(next.screen);
        send(next);
      };
      const pinch = (e: PointerEvent, last: Point) => {
        const other = [...touches].find(([id]) => id !== e.pointerId)![1];
        const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
        const after = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
        const box = element.getBoundingClientRect();
        const middle: Point = [(e.clientX + other[0]) / 2 - box.left, (e.clientY + other[1]) / 2 - box.top];
        view.setView(pan(zoomAt(view.view, middle, after / Math.max(1, before)), (e.clientX - last[0]) / 2, (e.clientY - last[1]) / 2)); // prettier-ignore
        touches.set(e.pointerId, [e.clientX, e.clientY]);
      };
      const up = (e: PointerEvent) => {
        if (!touches.delete(e.pointerId)) return;
        held = null;
        send(input('up', e));
      };
      // A captured pointer makes clicks those of the element that captured it.
      const own = (e: Event) => e.target === view['canvases'].gesture || e.target === element;
      const double = (e: MouseEvent) => own(e) && send(input('double', e));
      const wheel = (e: WheelEvent) => {
        if (e.target !== view['canvases'].gesture) return;
        e.preventDefault();
        const box = element.getBoundingClientRect();
        if (
          e.ctrlKey ||
          e.metaKey ||
          (e.deltaMode === 0 &&
            Number.isInteger(e.deltaY) &&
            Math.abs(e.deltaY) >= 100 &&
            !e.shiftKey &&
            e.deltaX === 0)
        )
          // prettier-ignore
          view.setView(zoomAt(view.view, [e.clientX - box.left, e.clientY - box.top], Math.exp(-e.deltaY / 400)));
        else if (e.shiftKey && e.deltaX === 0) view.setView(pan(view.view, -e.deltaY, 0));
        else view.setView(pan(view.view, -e.deltaX, -e.deltaY));
      };
      const key = (e: KeyboardEvent) => {
        if (e.target !== element) return;
        if (e.key === ' ' && !e.ctrlKey) {
          e.preventDefault();
          if (!e.repeat) [space, spaceUsed] = [true, false];
          element.style.cursor = 'grab';
          return;
        }
        if (e.key === 'Escape' && view.gesture.kind !== 'idle') {
          send({ ...(held ?? ({} as PointerInput)), kind: 'cancel' });
          e.preventDefault();
          return;
        }
        const command = commandFor(e, true);
        if (command === 'paste' || command === 'next-region') return; // the browser's own event follows
        if ((command === 'next-block' || command === 'previous-block') && atEdge(command)) return;
        if (command) {
          if (commandFor(e, false) === null) {
            e.preventDefault();
            e.stopPropagation();
            if (command.startsWith('follow') || command.endsWith('block')) view.keyboard = true;
            perform(command, editor, view);
          }
          return;
        }
        if (startsTyping(e) && editor.state.doc) {
          e.preventDefault();
          const keyboard = view.keyboard;
          const at = keyboard ? view.middle() : (performer.clicked ?? view.pointerOnSheet());
          editor.store.set({ adding: { at, text: e.key, from: null } });
        }
      };
      // Tab walks through the blocks and leaves the sheet behind the last one.
      const atEdge = (command: string) => {
        const { scene, focusBlock: at } = editor.state;
        if (!scene.blocks.length) return true;
        const order = tabOrder();
        const k = order.indexOf(at);
        const out = command === 'next-block' ? k === order.length - 1 : k === 0;
        if (out) editor.store.set({ focusBlock: '' });
        return out;
      };
      const keyUp = (e: KeyboardEvent) => {
        if (e.key !== ' ' || !space) return;
        space = false;
        element.style.cursor = 'default';
        if (!spaceUsed) perform('fit', editor, view);
      };
      const onPaste = (e: ClipboardEvent) => {
        if (document.activeElement !== element) return;
        e.preventDefault();
        void paste(editor, e.clipboardData?.getData('text/plain') ?? '');
      };
      const context = (e: MouseEvent) => {
        if (!own(e)) return;
        e.preventDefault();
        const { hit } = input('move', e);
        if (
          (hit.kind === 'block' || hit.kind === 'port') &&
          !editor.state.selection.blocks.has(hit.block.name)
        )
          editor.select({ blocks: new Set([hit.block.name]), branches: new Set(), notes: new Set() });
        const box = element.getBoundingClientRect();
        setMenu({ x: e.clientX - box.left, y: e.clientY - box.top });
      };
      const lost = () => view.setGesture(view.gesture.kind === 'idle' ? idle : view.gesture);
      const drop = (e: DragEvent) => {
        const type = e.dataTransfer?.getData('application/x-orrery-block');
        if (!type) return;
        e.preventDefault();
        const { at } = input('move', e);
        void import('./type_to_add').then(({ addProposal }) =>
          addProposal(editor, { type, title: type, detail: '', parameters: {} }, at, null, null),
        );
        element.focus();
      };
      const over = (e: DragEvent) =>
        e.dataTransfer?.types.includes('application/x-orrery-block') && e.preventDefault();
      const events: [string, EventListener, AddEventListenerOptions?][] = [
        ['pointerdown', down as EventListener],
        ['pointermove', move as EventListener],
        ['pointerup', up as EventListener],
        ['pointercancel', up as EventListener],
        ['pointerleave', lost],
        ['dblclick', double as EventListener],
        ['wheel', wheel as EventListener, { passive: false }],
        ['keydown', key as EventListener],
        ['keyup', keyUp as EventListener],
        ['contextmenu', context as EventListener],
        ['drop', drop as EventListener],
        ['dragover', over as EventListener],
      ];
      for (const [name, handler, options] of events) element.addEventListener(name, handler, options);
      document.addEventListener('paste', onPaste);
      return () => {
        for (const [name, handler] of events) element.removeEventListener(name, handler);
        document.removeEventListener('paste', onPaste);
      };
    }
    function tabOrder() {
      return readingNames(editor.state);
    }
  }, [editor, onSheet]);

  const label = useMemo(() => `Diagram ${diagram === '/' ? title : diagram}`, [diagram, title]);
  return (
    <div
      ref={host}
      className="sheet"
      data-region="sheet"
      tabIndex={0}
      role="application"
      aria-roledescription="diagram"
      aria-label={`${label}. Type to add a block, Tab walks through the blocks.`}
      aria-activedescendant={focusBlock ? 'sheet-active' : undefined}
    >
      <canvas aria-hidden="true" />
      <canvas aria-hidden="true" />
      <canvas aria-hidden="true" className="touch" />
      <BlockList />
      {empty && (
        <p className="empty-sheet">Type to add a block — or drag one from the left. Ctrl+K finds commands.</p>
      )}
      {sheet && <Tooltip sheet={sheet} />}
      {sheet && <Minimap sheet={sheet} />}
      {sheet && <TypeToAdd sheet={sheet} />}
      {sheet && menu && <SheetMenu at={menu} sheet={sheet} onClose={() => setMenu(null)} />}
    </div>
  );
}

import { readingOrder } from '../access/walk';
const readingNames = (s: State) => readingOrder(s.scene).map((b) => b.name);
