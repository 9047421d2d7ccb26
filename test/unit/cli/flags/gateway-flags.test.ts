import { expect, test } from 'vitest';
import { reachAdvice } from '../../../../src/cli/flags/gateway-flags.js';

test.each([
  [undefined, [], 0],
  ['127.0.0.1', [], 0],
  ['0.0.0.0', ['box.example'], 0],
  ['0.0.0.0', [], 1],
])('a listener on %s that is called %j has %i words of advice', (host, names, count) => {
  expect(reachAdvice(host, names)).toHaveLength(count);
});
