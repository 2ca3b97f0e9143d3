// SPDX-License-Identifier: Apache-2.0
// The socket: requests that are promises, pushes that are handed on, and a new try after a break.
import type { Diagnostic, Push } from './messages';

export class Refused extends Error {
  constructor(
    readonly diagnostic: Diagnostic,
    readonly all: Diagnostic[] = [diagnostic],
  ) {
    super(diagnostic.message);
  }
}

export type LinkState = 'connecting' | 'open' | 'lost' | 'refused';

export interface SocketLike {
  binaryType: string;
  onopen: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(text: string): void;
  close(): void;
}

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

export class Connection {
  onPush: (push: Push) => void = () => {};
  onFrame: (frame: ArrayBuffer) => void = () => {};
  onState: (state: LinkState) => void = () => {};
  private socket: SocketLike | null = null;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private delay = 250;
  private ended = false;
  state: LinkState = 'connecting';

  constructor(private make: () => SocketLike) {}

  start() {
    this.setState(this.state === 'lost' ? 'lost' : 'connecting');
    const socket = this.make();
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.delay = 250;
      this.setState('open');
    };
    socket.onmessage = ({ data }) => this.receive(data);
    socket.onclose = () => this.closed();
  }

  // The answer of the server; rejects with Refused when it says no, and when the connection breaks.
  request<T = Record<string, never>>(what: string, fields: object = {}): Promise<T> {
    if (this.state !== 'open' || !this.socket)
      return Promise.reject(
        new Refused({ code: 'not-connected', message: 'The server is away; changes have to wait.' }),
      );
    const id = this.next++;
    const promise = new Promise<T>((resolve, reject) =>
      this.waiting.set(id, { resolve: resolve as (value: never) => void, reject }),
    );
    this.socket.send(JSON.stringify({ id, do: what, ...fields }));
    return promise;
  }

  // For messages that have no answer.
  tell(what: string, fields: object = {}) {
    if (this.state === 'open') this.socket?.send(JSON.stringify({ do: what, ...fields }));
  }

  stop() {
    this.ended = true;
    this.socket?.close();
  }

  private receive(data: unknown) {
    if (data instanceof ArrayBuffer) return this.onFrame(data);
    const message = JSON.parse(String(data)) as Push & {
      id?: number;
      ok?: never;
      error?: Diagnostic;
      errors?: Diagnostic[];
    };
    if (message.on) return this.onPush(message);
    const waiting = this.waiting.get(message.id ?? -1);
    if (!waiting) return;
    this.waiting.delete(message.id ?? -1);
    if (message.error) waiting.reject(new Refused(message.error, message.errors));
    else waiting.resolve(message.ok as never);
  }

  private closed() {
    for (const { reject } of this.waiting.values())
      reject(new Refused({ code: 'not-connected', message: 'The connection to the server broke.' }));
    this.waiting.clear();
    this.socket = null;
    if (this.ended) return;
    this.setState('lost');
    setTimeout(() => !this.ended && this.start(), this.delay);
    this.delay = Math.min(4000, this.delay * 2);
  }

  private setState(state: LinkState) {
    this.state = state;
    this.onState(state);
  }
}
