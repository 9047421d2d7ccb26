import { expect, it } from 'vitest';
import { toolScreens } from '../../../src/tools/screen-registry.js';

it('finds the screens of a tool by its name', () => {
  expect(toolScreens('codex')?.name).toBe('codex_tui');
  expect(toolScreens('gemini')?.name).toBe('gemini_cli');
});

it('no two tools have a process in common', () => {
  const names = (['codex', 'gemini'] as const).flatMap((tool) => toolScreens(tool)?.processNames ?? []);
  expect(names).toEqual(['codex', 'gemini']);
});
