import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentSummary } from '../../../src/tools/adapter/argument-summary.js';
import { oneLine } from '../../../src/tools/adapter/one-line.js';
import { normalizeUsage } from '../../../src/tools/adapter/usage.js';
import { adapterForBackend, toolAdapter, toolNames } from '../../../src/tools/tool-registry.js';

describe('one line', () => {
  it('collapses white space and cuts at 160 code points, 157 and three dots', () => {
    expect(oneLine('  a\n\t b  ')).toBe('a b');
    expect(oneLine('x'.repeat(160))).toBe('x'.repeat(160));
    expect(oneLine('x'.repeat(161))).toBe(`${'x'.repeat(157)}...`);
    expect(oneLine('😀'.repeat(161))).toBe(`${'😀'.repeat(157)}...`);
  });

  it('is short and on one line for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        const line = oneLine(text);
        expect(Array.from(line).length).toBeLessThanOrEqual(160);
        expect(line).not.toMatch(/[\n\r\t]| {2}/);
      }),
    );
  });
});

describe('argument summary', () => {
  it.each([
    [{ a: 1, b: 'x y', c: null, d: true, e: 5 }, '(a=1, b=x y, c=null, d=true, ...)'],
    [['a', 2, 'c', 'd', 'e'], '(a, 2, c, d, ...)'],
    [{ a: { b: { c: { d: 1 } } } }, '(a={b: {c: {...}}})'],
    ['ls', '(ls)'],
    [null, ''],
    [undefined, ''],
    [{}, '()'],
  ])('%j', (value, expected) => {
    expect(argumentSummary(value)).toBe(expected);
  });
});

describe('usage', () => {
  it('keeps the known keys, by either name', () => {
    expect(normalizeUsage({ input_tokens: 1, cached: 2, thoughtsTokenCount: 3, models: {} })).toEqual({
      input_tokens: 1,
      cached_input_tokens: 2,
      thoughts_token_count: 3,
    });
  });

  it('leaves an object without any of them as it is', () => {
    expect(normalizeUsage({ prompt: 4 })).toEqual({ prompt: 4 });
    expect(normalizeUsage(null)).toBeNull();
    expect(normalizeUsage([1])).toBeNull();
  });
});

describe('registry', () => {
  it('finds each adapter by name and by backend', () => {
    for (const name of toolNames) {
      expect(toolAdapter(name).name).toBe(name);
      expect(adapterForBackend(`${name}_headless`)).toBe(toolAdapter(name));
    }
    expect(adapterForBackend('local_interactive')).toBeNull();
  });
});
