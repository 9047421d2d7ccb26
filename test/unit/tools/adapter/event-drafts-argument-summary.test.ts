import { describe, expect, it } from 'vitest';
import { argumentSummary } from '../../../../src/tools/adapter/event-drafts.js';

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
