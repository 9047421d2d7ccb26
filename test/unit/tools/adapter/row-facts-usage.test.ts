import { describe, expect, it } from 'vitest';
import { normalizeUsage } from '../../../../src/tools/adapter/row-facts.js';

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
