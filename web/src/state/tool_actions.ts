// SPDX-License-Identifier: Apache-2.0
// Tools: commands of the program on the saved model. Which there are, and what they take, is what the server says.
import type { Tool, ToolOption } from '../protocol/messages';
import type { Editor } from './editor';
import { save } from './edit_actions';
import { type State, noTool } from './state';

// Commands with the same first word share a dialog.
export const toolsOf = (s: State, word: string): Tool[] =>
  (s.hello?.tools ?? []).filter((t) => t.command === word || t.command.startsWith(`${word} `));

export type ToolValues = Record<string, string>; // by option; lines for those that repeat; "on" for flags

// Name and text pairs as the server wants them; what is empty is left out.
export function toolOptions(tool: Tool, values: ToolValues): [string, string][] {
  return tool.options.flatMap((o): [string, string][] => {
    const text = (values[o.name] ?? '').trim();
    if (!text) return [];
    if (o.kind === 'none') return [[o.name, '']];
    if (!o.repeats) return [[o.name, text]];
    return text
      .split('\n')
      .map((l) => l.trim())
      .filter(Boolean)
      .map((l) => [o.name, l]);
  });
}

// Those of the command itself come first; settings of simulations are the same everywhere.
export function ownOptions(tool: Tool, settings: readonly string[]): [ToolOption[], ToolOption[]] {
  const common = new Set(['--set', '--script-time', '--initial', '--tolerance', '--quiet', ...settings.map((s) => `--${s}`)]); // prettier-ignore
  return [tool.options.filter((o) => !common.has(o.name)), tool.options.filter((o) => common.has(o.name))];
}

// Files that a command was told to write, where a page can show them.
export const writtenFiles = (tool: Tool, values: ToolValues): string[] =>
  tool.options
    .filter((o) => o.name === '--out' || (o.kind === 'file' && /^-o$|plot|picture|report|save/.test(o.name)))
    .map((o) => (values[o.name] ?? '').trim())
    .filter((f) => /\.[a-z0-9]+$/i.test(f));

// What a command is asked for when nothing else is said: results beside the model.
export function usualValues(command: string, name: string): ToolValues {
  switch (command) {
    case 'sweep':
      return { '--out': `${name}_sweep.csv`, '--plot': `${name}_sweep.svg` };
    case 'optimise':
      return { SPEC: `${name}.opt`, '--out': `${name}_best.json`, '--plot': `${name}_best.svg` };
    case 'trim':
      return { '--out': `${name}_trim.json` };
    case 'linearise':
      return { '--out': `${name}_linear.json`, '--plot': `${name}_linear.svg` };
    case 'export c':
      return { '--out': `${name}_c` };
    case 'export fmu':
      return { '--out': `${name}.fmu` };
    default:
      return {};
  }
}

// A search to begin with: what it minimises is the sum of squares that the user puts there.
export const searchSkeleton = (model: string) =>
  `# What is varied, and what is to become least (docs/analysis.md).\nmodel     ${model}\nvariable  k = 1 from 0.1 to 10\nminimise  final(/Cost)\n`;

export async function startTool(
  e: Editor,
  tool: Tool,
  args: string[],
  values: ToolValues,
  saves = tool.arguments.includes('MODEL'),
): Promise<boolean> {
  // prettier-ignore
  const { doc } = e.state;
  if (!doc) return false;
  if (saves && (doc.dirty || !doc.path) && !(await save(e))) return false;
  e.store.set({ tool: { ...noTool, running: true } });
  const answer = await e.ask<{ tool: number }>('tool', {
    command: tool.command,
    arguments: args,
    options: toolOptions(tool, values),
  });
  e.store.set((s) => ({ tool: answer ? { ...s.tool, number: answer.tool } : noTool }));
  return answer !== null;
}

export const stopTool = (e: Editor) => e.ask('tool_stop');
