import { Command } from 'commander';
import { expect, test } from 'vitest';
import {
  addGatewayFlags,
  type GatewayFlags,
  reachAdvice,
  requestedGateway,
} from '../../../../src/cli/flags/gateway-flags.js';

test.each([
  [undefined, [], 0],
  ['127.0.0.1', [], 0],
  ['0.0.0.0', ['box.example'], 0],
  ['0.0.0.0', [], 1],
])('a listener on %s that is called %j has %i words of advice', (host, names, count) => {
  expect(reachAdvice(host, names)).toHaveLength(count);
});

/** The settings of a command line for what the gateway keeps. */
const kept = (...words: string[]) => {
  const command = addGatewayFlags(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return requestedGateway(command.parse(words, { from: 'user' }).opts<GatewayFlags>()).keeping;
};

test('the gateway learns after how many days it forgets finished requests', () => {
  expect(kept('--retain-days', '30')).toEqual({ retain_days: 30 });
  expect(kept('--retain-days', 'never')).toEqual({ retain_days: null });
  expect(kept()).toEqual({});
  for (const days of ['0', '-1', '1.5', '100000', 'a week'])
    expect(() => kept('--retain-days', days)).toThrow(/from 1 to 99999/);
});
