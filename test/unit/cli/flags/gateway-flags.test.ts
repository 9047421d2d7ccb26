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

/** The flags of a command line that go to the gateway's own. */
const passed = (...words: string[]): readonly string[] => {
  const command = addGatewayFlags(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return requestedGateway(command.parse(words, { from: 'user' }).opts<GatewayFlags>()).flags;
};

test('the gateway learns after how many days it forgets finished requests', () => {
  expect(passed('--retain-days', '30')).toEqual(['--retain-days', '30']);
  expect(passed()).toEqual([]);
  for (const days of ['0', '-1', '1.5', '100000', 'a week'])
    expect(() => passed('--retain-days', days)).toThrow(/from 1 to 99999/);
});
