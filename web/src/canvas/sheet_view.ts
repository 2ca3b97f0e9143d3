// SPDX-License-Identifier: Apache-2.0
// The three canvases of the sheet and their frames: painted only when something changed.
import type { Editor } from '../state/editor';
import type { State } from '../state/state';
import { FarBitmap } from './far_bitmap';
import { type Gesture, type PortEnd, idle } from './gestures';
import { paintGesture, type MovedPicture } from './paint_gesture';
import { paintLive } from './paint_live';
import { ScenePainter, farZoom } from './painter';
import { type Block, type Box, type Link, type Point, hull, inside } from './scene';
import { stretchLink } from './reroute';
import { firstFit } from '../state/steps';
import { dark, light } from './theme';
import { type Viewport, fit, reveal, toScreen, toSheet } from './viewport';

export interface Canvases {
  scene: HTMLCanvasElement;
  live: HTMLCanvasElement;
  gesture: HTMLCanvasElement;
}

export class SheetView {
  readonly painter = new ScenePainter();
  view: Viewport = { x: 0, y: 0, zoom: 1, width: 300, height: 200 };
  gesture: Gesture = idle;
  keyboard = false; // show where the keyboard is
  frames = 0;
  onView: () => void = () => {};
  private moved: MovedPicture | null = null;
  private bitmap = new FarBitmap();
  private dirty = { scene: true, live: true, gesture: true };
  private frame = 0;
  private rest: ReturnType<typeof setTimeout> | null = null;
  private wantFit = false;
  private pointer: Point = [200, 150];

  constructor(
    private canvases: Canvases,
    private editor: Editor,
  ) {}

  get ratio() {
    return window.devicePixelRatio || 1;
  }

  resize(width: number, height: number) {
    if (!width || !height) return;
    this.view = { ...this.view, width, height };
    for (const canvas of Object.values(this.canvases) as HTMLCanvasElement[]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
    }
    this.bitmap.forget();
    if (this.wantFit) this.fit();
    this.touch('scene', 'live', 'gesture');
    this.onView();
  }

  // Called when the state of the page changed.
  update(s: State, before: State | null) {
    if (!before || s.scene !== before.scene) {
      this.painter.setScene(s.scene);
      if (this.gesture.kind === 'idle') this.moved = null;
      this.bitmap.forget();
      this.touch('scene', 'live', 'gesture');
    }
    const theme = s.dark ? dark : light;
    const { grid, portNames } = s.preferences;
    if (
      theme !== this.painter.theme ||
      grid !== this.painter.showGrid ||
      portNames !== this.painter.showPortNames
    ) {
      Object.assign(this.painter, { theme, showGrid: grid, showPortNames: portNames });
      this.bitmap.forget();
      this.touch('scene', 'live', 'gesture');
    }
    if (!before || s.selection !== before.selection || s.focusBlock !== before.focusBlock)
      this.touch('gesture');
    if (
      !before ||
      s.problems !== before.problems ||
      s.values !== before.values ||
      s.paused !== before.paused ||
      s.overlay !== before.overlay ||
      s.facts !== before.facts ||
      s.highlight !== before.highlight
    )
      this.touch('live');
  }

  setView(view: Viewport) {
    this.view = view;
    this.touch('scene', 'live', 'gesture');
    this.editor.rememberView(this.editor.state.sceneOf, { x: view.x, y: view.y, zoom: view.zoom });
    this.onView();
  }

  fit() {
    const { scene, sceneOf } = this.editor.state;
    if (this.view.width <= 300) this.wantFit = true;
    else this.wantFit = false;
    const kept = this.editor.rememberedView(sceneOf) as { x: number; y: number; zoom: number } | undefined;
    if (kept && this.fresh !== sceneOf) {
      this.fresh = sceneOf;
      this.setView({ ...this.view, ...kept });
      return;
    }
    this.fresh = sceneOf;
    const box = hull([...scene.blocks.map((b) => b.box), ...scene.notes.map((n) => n.box)]) ?? { x: 0, y: 0, width: 400, height: 200 }; // prettier-ignore
    this.setView(fit(this.view, box));
  }
  private fresh = '';

  fitBoxes(boxes: Box[]) {
    const box = hull(boxes);
    if (box) this.setView(fit(this.view, box, 60, 2));
  }

  revealBlocks(names: readonly string[]) {
    const wanted = new Set(names);
    const box = hull(this.editor.state.scene.blocks.filter((b) => wanted.has(b.name)).map((b) => b.box));
    if (box) this.setView(reveal(this.view, box));
  }

  setPointer(screen: Point) {
    this.pointer = screen;
  }
  // Where something new goes: at the pointer while it is on the sheet, else in the middle.
  pointerOnSheet(): Point {
    return toSheet(this.view, this.pointer);
  }
  middle(): Point {
    return toSheet(this.view, [this.view.width / 2, this.view.height / 2]);
  }
  onScreen(p: Point): Point {
    return toScreen(this.view, p);
  }

  setGesture(next: Gesture) {
    const was = this.gesture;
    this.gesture = next;
    const lifted = (g: Gesture) => g.kind === 'move' && !g.copy;
    if (lifted(was) !== lifted(next)) {
      this.bitmap.forget();
      this.touch('scene');
    }
    if (next.kind === 'move') this.moved = this.stretched(next.names, next.by);
    else if (was.kind === 'move') this.moved = this.settling ? this.moved : null;
    if (was !== next) this.touch('gesture');
  }

  // After the release the moved blocks stay where they are until the answer is there: nothing may jump back.
  private settling = false;
  settle(on: boolean) {
    this.settling = on;
    if (!on) {
      this.moved = null;
      this.bitmap.forget();
      this.touch('scene', 'gesture');
    }
  }

  private stretched(names: ReadonlySet<string>, by: Point): MovedPicture {
    const links = this.touching(names).map((l) => stretchLink(l, names, by));
    return { names, by, links };
  }

  // The server's routes for the blocks as they are held.
  showTrial(links: readonly Link[], by: Point) {
    const { gesture } = this;
    if (gesture.kind !== 'move' || !this.moved || gesture.by[0] !== by[0] || gesture.by[1] !== by[1]) return;
    const byKey = new Map(links.map((l) => [`${l.activation}${l.from.block}:${l.from.port}`, l]));
    this.moved = {
      ...this.moved,
      links: this.moved.links.map((l) => byKey.get(`${l.activation}${l.from.block}:${l.from.port}`) ?? l),
    };
    this.touch('gesture');
  }

  private touchingOf: { names: ReadonlySet<string>; scene: unknown; links: Link[] } | null = null;
  private touching(names: ReadonlySet<string>): Link[] {
    const { scene } = this.painter;
    if (this.touchingOf?.names !== names || this.touchingOf.scene !== scene) {
      const links = scene.links.filter(
        (l) => names.has(l.from.block) || l.branches.some((b) => names.has(b.to.block)),
      );
      this.touchingOf = { names, scene, links };
    }
    return this.touchingOf.links;
  }

  touch(...layers: (keyof SheetView['dirty'])[]) {
    for (const layer of layers) this.dirty[layer] = true;
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  private paint() {
    this.frame = 0;
    ++this.frames;
    const { dirty, view, ratio } = this;
    const context = (c: HTMLCanvasElement, alpha: boolean) => c.getContext('2d', { alpha })!;
    if (dirty.scene) {
      const ctx = context(this.canvases.scene, false);
      const hidden = this.moved && !(this.gesture.kind === 'move' && this.gesture.copy)
          ? { blocks: this.moved.names, links: new Set(this.touching(this.moved.names)) }
          : undefined; // prettier-ignore
      if (view.zoom < farZoom) {
        if (this.bitmap.draw(ctx, this.painter, view, ratio, hidden)) this.repaintLater();
      } else this.painter.paint(ctx, view, ratio, hidden);
    }
    if (dirty.live) this.paintLiveLayer();
    if (dirty.gesture) {
      const s = this.editor.state;
      paintGesture(context(this.canvases.gesture, true), this.painter, view, ratio, {
        gesture: this.gesture,
        selection: s.selection,
        focusBlock: this.keyboard ? s.focusBlock : '',
        moved: this.moved,
        fits,
      });
    }
    this.dirty = { scene: false, live: false, gesture: false };
  }

  private paintLiveLayer() {
    const s = this.editor.state;
    paintLive(this.canvases.live.getContext('2d')!, this.painter, this.view, this.ratio, {
      diagram: s.diagram,
      problems: s.problems.list,
      overlay: s.overlay,
      facts: s.facts,
      values: s.values,
      activated: s.paused ? s.paused.activated.slice(0, s.paused.shown) : [],
      highlight: s.highlight,
      share: s.progress?.share ?? null,
    });
  }

  private repaintLater() {
    if (this.rest) clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rest = null;
      this.bitmap.forget();
      this.touch('scene');
    }, 200);
  }

  blockAt(p: Point): Block | null {
    return (
      this.painter.blocksIn({ x: p[0], y: p[1], width: 0, height: 0 }).find((b) => inside(b.box, p)) ?? null
    );
  }
}

function fits(from: PortEnd, block: Block): Point | null {
  const end = firstFit(block, from);
  return end && !(end.port.connected && !end.port.output && !end.port.activation) ? end.port.at : null;
}
