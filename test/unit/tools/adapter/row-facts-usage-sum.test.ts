import { expect, test } from 'vitest';
import { UsageSum } from '../../../../src/tools/adapter/row-facts.js';

test('messages add up, each as it was reported last', () => {
  const sum = new UsageSum();
  expect(sum.total).toBeNull();
  sum.add('a', { input_tokens: 5, output_tokens: 1 });
  sum.add('b', { input_tokens: 10, service_tier: 'standard' });
  sum.add('a', { input_tokens: 5, output_tokens: 3 });
  sum.add('a', null);
  expect(sum.total).toEqual({ input_tokens: 15, output_tokens: 3 });
});
