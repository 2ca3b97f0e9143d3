// SPDX-License-Identifier: Apache-2.0
// Paths of diagrams ("/" or "/Plant") and of blocks ("/Plant/Mass").

export const join = (diagram: string, name: string) => (diagram === '/' ? `/${name}` : `${diagram}/${name}`);

export function split(path: string): { diagram: string; name: string } {
  const at = path.lastIndexOf('/');
  return { diagram: at <= 0 ? '/' : path.slice(0, at), name: path.slice(at + 1) };
}

export const parts = (diagram: string) => diagram.split('/').filter((p) => p !== '');

// Every diagram from the root to this one.
export function trail(diagram: string): { path: string; name: string }[] {
  let path = '';
  return parts(diagram).map((name) => ({ name, path: (path += `/${name}`) }));
}

// The block of `diagram` that a path lies in: "/Plant/Mass/Spring" seen from "/" is Plant.
export function blockIn(diagram: string, path: string): string | null {
  const prefix = diagram === '/' ? '/' : `${diagram}/`;
  if (!path.startsWith(prefix)) return null;
  const rest = path.slice(prefix.length);
  return rest === '' ? null : (rest.split('/')[0] ?? null);
}
