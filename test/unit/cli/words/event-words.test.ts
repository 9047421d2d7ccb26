import { readFileSync } from 'node:fs';
import type { Schemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { eventKinds, eventLine, isOfKinds } from '../../../../src/cli/words/event-words.js';
import { localStamp } from '../../../../src/cli/words/local-time.js';

const base = { seq: 41, at_utc: '2026-03-13T00:00:00+00:00', subject_id: null };
const lineOf = (event: object) => eventLine({ ...base, ...event } as Schemas['GatewayEvent']);

test('an event says what the log says of it', () => {
  const data = { request_id: 'gwreq-1', request_kind: 'submit_prompt', accepted_at_utc: base.at_utc };
  expect(lineOf({ kind: 'accepted', data })).toBe(
    `   41  ${localStamp(base.at_utc)}  accepted                  accepted public gateway request request_id=gwreq-1 kind=submit_prompt`,
  );
});

test('one that the log leaves out is described by its fields', () => {
  const data = { turn_id: 'turn-1', at_utc: base.at_utc, origin: 'request', request_id: null };
  expect(lineOf({ kind: 'turn_claimed', data })).toMatch(/ {2}turn_claimed +turn_id=turn-1 origin=request$/);
});

test('one of a newer gateway is described by its own kind, on one line', () => {
  const data = { kind: 'moon_rose', fields: { where: 'east\nor west', many: [1] } };
  expect(lineOf({ kind: 'other', data })).toMatch(/ {2}moon_rose +where=east or west$/);
  expect(lineOf({ kind: 'other', data: { kind: 'secret', fields: null } })).toMatch(/ {2}secret$/);
});

test('kinds are those of the contract', () => {
  const contract = new URL('../../../../generated/gateway/openapi.json', import.meta.url);
  const { components } = JSON.parse(readFileSync(contract, 'utf8'));
  const { mapping } = components.schemas.GatewayEvent.discriminator;
  expect([...eventKinds].sort()).toEqual(Object.keys(mapping).sort());
});

test('an event of another version is found as other and by its own kind', () => {
  const data = { kind: 'accepted', fields: null };
  const event = { ...base, kind: 'other', data } as Schemas['GatewayEvent'];
  const found = (...kinds: string[]) => isOfKinds(event, kinds);
  expect([found(), found('other'), found('accepted'), found('fault')]).toEqual([true, true, true, false]);
});
