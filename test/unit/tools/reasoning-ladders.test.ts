import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolName } from '../../../src/tools/adapter/tool-adapter.js';
import { toolAdapter, toolNames } from '../../../src/tools/tool-registry.js';

type Row = [ToolName, string | null, string[], string | null];

const ladders: Row[] = [
  ['claude', null, ['low', 'medium', 'high'], null],
  ['claude', 'claude-sonnet-4-5', ['low', 'medium', 'high'], null],
  ['claude', 'claude-opus-4-6-20260101', ['low', 'medium', 'high', 'max'], null],
  ['codex', null, ['low', 'medium', 'high', 'xhigh'], null],
  ['codex', 'gpt-5.4', ['low', 'medium', 'high', 'xhigh'], null],
  ['codex', 'gpt-5.6-other', ['low', 'medium', 'high', 'xhigh'], null],
  ['codex', 'gpt-5.6', ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'], null],
  ['codex', 'gpt-5.6-sol', ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'], null],
  ['codex', 'gpt-5.6-terra-mini', ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'], null],
  ['codex', 'gpt-5.6-luna-2', ['low', 'medium', 'high', 'xhigh', 'max'], null],
  ['gemini', 'gemini-3-pro-preview', ['LOW', 'MEDIUM', 'HIGH'], null],
  ['gemini', 'auto-gemini-3', ['LOW', 'MEDIUM', 'HIGH'], null],
  ['gemini', 'gemma-4-31b-it', ['LOW', 'MEDIUM', 'HIGH'], null],
  ['gemini', 'gemini-2.5-flash', ['512', '2048', '4096', '8192', '16384'], '0'],
  ['gemini', null, ['512', '2048', '4096', '8192', '16384'], null],
];

describe('reasoning ladders', () => {
  it.each(ladders)('%s %s', (tool, model, presets, off) => {
    const { reasoning } = toolAdapter(tool);
    for (const [index, preset] of presets.entries()) {
      expect(reasoning(index + 1, model)).toEqual({ ok: true, preset });
    }
    expect(reasoning(presets.length + 1, model)).toEqual({ ok: true, preset: presets.at(-1) });
    expect(reasoning(1e9, model)).toEqual({ ok: true, preset: presets.at(-1) });
    const zero = reasoning(0, model);
    if (off === null) expect(zero).toEqual({ ok: false, reason: expect.stringMatching(/off/) });
    else expect(zero).toEqual({ ok: true, preset: off });
  });

  it('refuses what is no position', () => {
    for (const tool of toolNames) {
      for (const level of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(toolAdapter(tool).reasoning(level, null).ok).toBe(false);
      }
    }
  });

  it('accepts every position from 1, for any model name', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...toolNames),
        fc.integer({ min: 1 }),
        fc.string(),
        (tool, level, model) => {
          expect(toolAdapter(tool).reasoning(level, model).ok).toBe(true);
        },
      ),
    );
  });
});
