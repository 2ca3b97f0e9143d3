// SPDX-License-Identifier: Apache-2.0
// The secret of this tab (exchanged once for the code in the address), and requests over HTTP.
import { type SocketLike, Refused } from './connection';
import type { Diagnostic } from './messages';

const key = 'orrery-secret';

export class NoSession extends Error {}

// The code leaves the address bar at once: it is worth nothing after this.
export async function openSession(): Promise<string> {
  const code = /[#&]code=([0-9a-f]+)/.exec(location.hash)?.[1];
  if (code) {
    history.replaceState(null, '', location.pathname + location.search);
    const answer = await fetch('/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (answer.ok) {
      const { secret } = (await answer.json()) as { secret: string };
      sessionStorage.setItem(key, secret);
      return secret;
    }
  }
  const kept = sessionStorage.getItem(key);
  if (kept) return kept;
  throw new NoSession();
}

export const forgetSession = () => sessionStorage.removeItem(key);

export class Http {
  constructor(private secret: string) {}

  async get(path: string, signal?: AbortSignal): Promise<Response> {
    const answer = await fetch(path, { headers: { Authorization: `Bearer ${this.secret}` }, signal });
    if (answer.ok) return answer;
    let diagnostic: Diagnostic = {
      code: `http-${answer.status}`,
      message: `The server answered ${answer.status}.`,
    };
    try {
      diagnostic = ((await answer.json()) as { error: Diagnostic }).error ?? diagnostic;
    } catch {
      // The body is not ours; the number has to do.
    }
    throw new Refused(diagnostic);
  }

  async json<T>(path: string): Promise<T> {
    return (await (await this.get(path)).json()) as T;
  }

  async upload(name: string, body: Blob, replace = false): Promise<{ path: string }> {
    const answer = await fetch(`/upload?name=${encodeURIComponent(name)}${replace ? '&replace=1' : ''}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.secret}`, 'Content-Type': 'application/octet-stream' },
      body,
    });
    const result = (await answer.json()) as { path: string; error?: Diagnostic };
    if (result.error) throw new Refused(result.error);
    return result;
  }

  socket(): SocketLike {
    const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/socket`;
    return new WebSocket(address, ['orrery', this.secret]) as unknown as SocketLike;
  }
}
