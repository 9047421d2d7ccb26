import { expect, it } from 'vitest';
import { screensOf } from '../../../src/tools/terminal-registry.js';
import { toolNames } from '../../../src/tools/tool-registry.js';

it('finds the screens of each tool by its name', () => {
  expect(toolNames.map((tool) => screensOf(tool)?.name)).toEqual(['claude_code', 'codex_tui', 'gemini_cli']);
});

it('no two tools have a process in common', () => {
  const names = toolNames.flatMap((tool) => screensOf(tool)?.processNames ?? []);
  expect(names).toEqual([...new Set(names)]);
  expect(names.map((name) => name.toLowerCase())).toEqual(names);
});
