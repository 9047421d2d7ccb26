import { expect, test } from 'vitest';
import type { AgentCopy } from '../../../../src/fleet/hosts/agent-list.js';
import { type AgentPlace, namesAlike, placeOf } from '../../../../src/fleet/hosts/agent-place.js';

const copyOf = (host: string, agent_name: string | null, tracked_agent_id: string): AgentCopy => ({
  version: 1,
  host,
  tracked_agent_id,
  agent_name,
  agent_id: `id-${tracked_agent_id}`,
  tool: 'claude',
  transport: 'headless',
  state: 'ready',
  detail: null,
});
const copies = [
  copyOf('ws2', 'HOUMAO-beta', 'b2'),
  copyOf('ws2', 'HOUMAO-gamma', 'g2'),
  copyOf('ws3', 'HOUMAO-gamma', 'g3'),
  copyOf('ws3', null, 'guest'),
];
const there = (host: string, reference: string): AgentPlace => ({ kind: 'there', host, reference });

test.each<[reference: string, isHere: boolean, place: AgentPlace]>([
  ['alpha', true, { kind: 'here' }],
  // An agent of this host comes before those of others.
  ['gamma', true, { kind: 'here' }],
  ['nobody', false, { kind: 'here' }],
  ['alpha@ws1', false, { kind: 'here' }],
  ['beta@ws2', false, there('ws2', 'beta@ws2')],
  // A host that is named decides, also where nothing is known of it.
  ['beta@ws9', false, there('ws9', 'beta@ws9')],
  ['beta', false, there('ws2', 'beta@ws2')],
  ['HOUMAO-beta', false, there('ws2', 'HOUMAO-beta@ws2')],
  ['b2', false, there('ws2', 'b2@ws2')],
  ['id-b2', false, there('ws2', 'id-b2@ws2')],
  ['guest', false, there('ws3', 'guest@ws3')],
  ['gamma', false, { kind: 'several', references: ['gamma@ws2', 'gamma@ws3'] }],
  ['beta@WS2', false, there('ws2', 'beta@ws2')],
  ['me@some.where', false, { kind: 'here' }],
])('%s, an agent here: %s', (reference, isHere, place) => {
  expect(placeOf(reference, { own: 'ws1', isHere, copies })).toEqual(place);
});

test('a prompt for an agent is found under each name that the agent has on that host', () => {
  expect([...namesAlike('gamma', 'ws2', copies)].sort()).toEqual(['HOUMAO-gamma', 'g2', 'gamma', 'id-g2']);
  expect(namesAlike('b2', undefined, copies)).toContain('beta');
  expect([...namesAlike('nobody', undefined, copies)]).toEqual(['nobody']);
});
