// SPDX-License-Identifier: Apache-2.0
// Columns of blocks, each driven by its neighbour on the left.

export function largeModel(count: number): string {
  const blocks: string[] = [];
  const links: string[] = [];
  const layout: string[] = [];
  const rows = 80;
  for (let k = 0; k < count; ++k) {
    blocks.push(`    {"name": "G${k}", "type": "${k < rows ? 'Constant' : 'Gain'}"}`);
    layout.push(`    "G${k}": [${Math.floor(k / rows) * 130}, ${(k % rows) * 80}, 70, 40]`);
    if (k >= rows) links.push(`    {"from": "G${k - rows}:1", "to": ["G${k}:1"]}`);
  }
  return `{\n  "orrery": 2,\n  "name": "large",\n  "blocks": [\n${blocks.join(',\n')}\n  ],\n  "links": [\n${links.join(',\n')}\n  ],\n  "layout": {\n${layout.join(',\n')}\n  }\n}\n`; // prettier-ignore
}
