import { expect, test } from 'vitest';
import { CallFault } from '../../../../src/fleet/calls/caller.js';
import { acceptedRecord, type CommandRecord } from '../../../../src/fleet/commands/command.js';
import type { Cancelled } from '../../../../src/fleet/fleet.js';
import { notCancelled } from '../../../../src/server/handlers/fleet.js';

const message = {
  version: 1,
  command_id: `fcmd-${'0'.repeat(32)}`,
  agent_ref: 'beta',
  body: {},
  digest: 'd',
  accepted_at_utc: '2026-03-13T00:00:00.000000+00:00',
  deadline_at_utc: null,
};
const answer = (status: number, body: unknown): Cancelled['refusal'] => ({ status, headers: {}, body });

test.each<[state: CommandRecord['state'], refusal: Cancelled['refusal'], status: 409 | 503, words: string]>([
  ['delivered', null, 409, 'it is delivered'],
  ['lapsed', null, 409, 'it is lapsed'],
  ['admitting', null, 503, 'is taking command'],
  ['admitted', { fault: new CallFault('away', 'ws2') }, 503, 'not known'],
  // Its host alone knows whether the agent has it.
  ['admitted', answer(409, { detail: 'it is running.' }), 409, 'it is running.'],
  ['admitted', answer(404, { detail: 'No agent.' }), 409, 'No agent.'],
  ['admitted', answer(409, { detail: { error_code: 'x' } }), 409, 'status 409'],
  ['admitted', answer(503, { detail: 'No gateway.' }), 503, 'No gateway.'],
])('a command that is %s and was not cancelled (%j) is a %i', (state, refusal, status, words) => {
  const record: CommandRecord = { ...acceptedRecord(message, 'ws2'), state, request_id: 'r1' };
  expect(notCancelled(record, refusal)).toEqual({ status, detail: expect.stringContaining(words) });
});
