// SPDX-License-Identifier: Apache-2.0
// What the page does with the server: sessions, documents, views. Editing and running are in files of their own.
import { Connection, Refused } from '../protocol/connection';
import type { BlockInfo, DiagramInfo, DocumentInfo, FolderList, Hello, Library } from '../protocol/messages';
import { Http, NoSession, forgetSession, openSession } from '../protocol/session';
import { type WireScene, readScene } from '../protocol/wire_scene';
import { emptyScene } from '../canvas/scene';
import { type Selection, noSelection } from '../canvas/gestures';
import { join } from './paths';
import { receivePush } from './pushes';
import {
  type AppStore,
  type Preferences,
  type Toast,
  defaultPreferences,
  makeStore,
  noProblems,
} from './state';
import type { SampleFrame } from '../protocol/samples';
import { decodeSamples } from '../protocol/samples';

export class Editor {
  readonly store: AppStore = makeStore();
  http!: Http;
  connection!: Connection;
  onFrame: (frame: SampleFrame) => void = () => {};
  // The sheet says what to do with its view; set by it when it is there.
  sheet: { fit(): void; revealBlocks(names: string[]): void; focus(): void } = {
    fit() {},
    revealBlocks() {},
    focus() {},
  };
  private started = false;
  private nextToast = 1;
  private views = new Map<string, unknown>();

  get state() {
    return this.store.get();
  }

  async start() {
    try {
      this.http = new Http(await openSession());
    } catch (error) {
      if (!(error instanceof NoSession)) throw error;
      this.store.set({ noSession: true });
      return;
    }
    this.connection = new Connection(() => this.http.socket());
    this.connection.onPush = (push) => receivePush(this, push);
    this.connection.onFrame = (frame) => this.onFrame(decodeSamples(frame));
    let failures = 0;
    this.connection.onState = (link) => {
      this.store.set({ link });
      if (link === 'open') {
        failures = 0;
        void this.greet();
      } else if (link === 'lost' && !this.started && ++failures >= 3) {
        // The secret is of an earlier server: only a new code helps.
        forgetSession();
        this.connection.stop();
        this.store.set({ noSession: true });
      }
    };
    this.connection.start();
  }

  private async greet() {
    try {
      const hello = await this.request<Hello>('hello');
      const first = !this.started;
      this.started = true;
      this.store.set({ hello });
      if (first) {
        const [kept, library] = await Promise.all([
          this.request<{ preferences: Partial<Preferences> }>('preferences').catch(() => ({
            preferences: {},
          })),
          this.http.json<Library>('/library'),
        ]);
        this.store.set({ library, preferences: { ...defaultPreferences, ...kept.preferences } });
      }
      const path = this.state.doc?.path ?? new URLSearchParams(location.search).get('model') ?? hello.model;
      if (path) await this.open({ path }, first ? undefined : this.state.diagram);
    } catch (error) {
      this.report(error);
    }
  }

  request<T = Record<string, never>>(what: string, fields: object = {}): Promise<T> {
    return this.connection.request<T>(what, fields);
  }

  // For requests about the open document; does nothing without one.
  async ask<T>(what: string, fields: object = {}): Promise<T | null> {
    const { doc } = this.state;
    if (!doc) return null;
    try {
      return await this.request<T>(what, { doc: doc.doc, ...fields });
    } catch (error) {
      this.report(error);
      return null;
    }
  }

  async open(what: { path: string } | { example: string } | { new: true; path?: string }, diagram = '/') {
    try {
      this.showDocument(await this.request<DocumentInfo>('open', what), diagram);
      return true;
    } catch (error) {
      this.report(error);
      return false;
    }
  }

  showDocument(doc: DocumentInfo, diagram = '/') {
    const same = this.state.doc?.doc === doc.doc;
    this.store.set({
      doc,
      needs: doc.needs ?? [],
      ...(same ? {} : { problems: noProblems, facts: {}, runs: [], run: null, values: null, paused: null, disk: 'same', crashed: '', consentHidden: false, event: null, console: [] }), // prettier-ignore
      dialog: null,
    });
    document.title = `${doc.dirty ? '• ' : ''}${doc.name || doc.path || 'untitled'} – Orrery`;
    void this.view(diagram);
    if (!same) void this.loadRuns();
  }

  private async loadRuns() {
    const answer = await this.ask<{ runs: import('../protocol/messages').RunInfo[] }>('runs');
    if (answer) this.store.set({ runs: answer.runs, run: answer.runs[answer.runs.length - 1]?.run ?? null });
  }

  // Shows a diagram; `select` are names in it.
  async view(diagram: string, select: readonly string[] = []) {
    const { doc, diagram: before, sceneOf } = this.state;
    if (!doc) return;
    const fresh = sceneOf !== `${doc.doc}${diagram}`;
    try {
      await this.request('view', { doc: doc.doc, diagram });
      const wire = await this.http.json<WireScene>(
        `/scene?doc=${doc.doc}&diagram=${encodeURIComponent(diagram)}`,
      );
      const selection: Selection = { ...noSelection, blocks: new Set(select) };
      this.store.set((s) => ({
        diagram,
        scene: readScene(wire),
        sceneOf: `${doc.doc}${diagram}`,
        selection: fresh || select.length ? selection : s.selection,
        doc: s.doc && { ...s.doc, revision: wire.revision },
        focusBlock: fresh ? (select[0] ?? '') : s.focusBlock,
        highlight: fresh ? new Set<string>() : s.highlight,
      }));
      if (fresh && !select.length) this.sheet.fit();
      if (select.length) this.sheet.revealBlocks([...select]);
      if (fresh && before !== diagram) this.announce(`Diagram ${diagram}`);
      await this.inspect();
    } catch (error) {
      this.report(error);
    }
  }

  leaveDocument() {
    this.store.set({ doc: null, scene: emptyScene, sceneOf: '', selection: noSelection, block: null, diagramInfo: null }); // prettier-ignore
    document.title = 'Orrery';
  }

  // Opens what a path names and shows it: a block in its diagram.
  async goTo(path: string) {
    const at = path.lastIndexOf('/');
    const diagram = at <= 0 ? '/' : path.slice(0, at);
    const name = path.slice(at + 1);
    if (this.state.diagram !== diagram) return this.view(diagram, name ? [name] : []);
    this.select({ ...noSelection, blocks: new Set([name]) });
    this.sheet.revealBlocks([name]);
  }

  select(selection: Selection) {
    const { doc, diagram } = this.state;
    const one = selection.blocks.size === 1 ? [...selection.blocks][0]! : this.state.focusBlock;
    this.store.set({ selection, focusBlock: one, highlight: new Set<string>() });
    if (doc && this.connection.state === 'open') {
      const blocks = [...selection.blocks].map((n) => join(diagram, n));
      void this.request('select', { doc: doc.doc, diagram, blocks }).catch(() => {});
      void this.inspect();
    }
  }

  private inspecting = 0;
  // Fetches what the inspector shows: the selected blocks, or the diagram.
  async inspect() {
    const { doc, diagram, selection } = this.state;
    if (!doc || this.connection.state !== 'open') return;
    const turn = ++this.inspecting;
    try {
      const names = [...selection.blocks].slice(0, 20);
      const blocks = await Promise.all(
        names.map((n) => this.request<BlockInfo>('inspect', { doc: doc.doc, block: join(diagram, n) })),
      );
      const diagramInfo = await this.request<DiagramInfo>('diagram', { doc: doc.doc, diagram });
      if (turn === this.inspecting) this.store.set({ blocks, block: blocks[0] ?? null, diagramInfo });
    } catch (error) {
      if (turn === this.inspecting) this.store.set({ blocks: [], block: null });
      if (!(error instanceof Refused)) throw error;
    }
  }

  list(folder = '') {
    return this.request<FolderList>('list', { folder });
  }

  prefer(change: Partial<Preferences>) {
    this.store.set((s) => ({ preferences: { ...s.preferences, ...change } }));
    if (this.connection?.state === 'open') void this.request('preferences', { set: change }).catch(() => {});
  }

  announce(text: string) {
    this.store.set({ announcement: text });
  }

  toast(text: string, more: Partial<Toast> = {}) {
    const toast: Toast = { id: this.nextToast++, text, kind: 'info', ...more };
    this.store.set((s) => ({ toasts: [...s.toasts.slice(-3), toast], announcement: text }));
    setTimeout(() => this.dropToast(toast.id), toast.kind === 'error' ? 12000 : 5000);
  }

  dropToast(id: number) {
    this.store.set((s) => ({ toasts: s.toasts.filter((t) => t.id !== id) }));
  }

  report(error: unknown) {
    if (error instanceof Refused) {
      const { message, help, block } = error.diagnostic;
      this.toast(block && !message.includes(block) ? `${block}: ${message}` : message, {
        kind: 'error',
        help,
      });
    } else {
      console.error(error);
      this.toast(String(error), { kind: 'error' });
    }
  }

  rememberView(key: string, view: unknown) {
    this.views.set(key, view);
  }
  rememberedView(key: string): unknown {
    return this.views.get(key);
  }
}
