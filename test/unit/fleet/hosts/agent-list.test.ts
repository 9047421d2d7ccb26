import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentCopy } from '../../../../src/fleet/hosts/agent-list.js';
import { byHost, type FleetListQuery, listedInFleet } from '../../../../src/fleet/hosts/agent-list.js';

const copyOf = (host: string, tracked_agent_id: string, more: Partial<AgentCopy> = {}): AgentCopy => ({
  version: 1,
  host,
  tracked_agent_id,
  agent_name: null,
  agent_id: null,
  tool: 'claude',
  transport: 'headless',
  state: 'ready',
  detail: null,
  ...more,
});
const idsOf = ({ agents }: { readonly agents: readonly AgentCopy[] }): string[] =>
  agents.map(({ tracked_agent_id }) => tracked_agent_id);

const all = [
  copyOf('ws1', 'a', { agent_name: 'HOUMAO-alpha' }),
  copyOf('ws1', 'guest', { transport: 'tui', state: 'needs_person' }),
  copyOf('ws2', 'b', { agent_name: 'beta', tool: 'codex' }),
];

test.each<[FleetListQuery, string[]]>([
  [{}, ['a', 'guest', 'b']],
  [{ tool: 'codex' }, ['b']],
  [{ transport: 'tui' }, ['guest']],
  [{ state: 'needs_person' }, ['guest']],
  [{ name: 'HOUMAO-al' }, ['a']],
  [{ name: 'gue' }, ['guest']],
  [{ name: 'lpha' }, []],
  [{ state: 'ready', tool: 'codex' }, ['b']],
])('%j lets pass %j', (query, ids) => {
  expect(idsOf(listedInFleet(all, query))).toEqual(ids);
});

test('a cursor of a single host’s list is before every host', () => {
  expect(idsOf(listedInFleet(all, { cursor: 'tui.enp6' }))).toEqual(['a', 'guest', 'b']);
});

const anyCopy = fc
  .record({
    host: fc.constantFrom('a', 'ws-1', 'ws1', 'ws2'),
    id: fc.string({ minLength: 1, unit: 'grapheme' }),
    transport: fc.constantFrom('tui' as const, 'headless' as const),
    tool: fc.constantFrom('claude', 'codex'),
  })
  .map(({ host, id, ...more }) => copyOf(host, id, more));
const fleet = fc
  .uniqueArray(anyCopy, {
    selector: ({ host, transport, tracked_agent_id: id }) => `${host} ${transport} ${id}`,
  })
  .map((agents) => agents.toSorted(byHost));

test('pages hold each agent once and in order, also where the last one has gone meanwhile', () => {
  fc.assert(
    fc.property(fleet, fc.integer({ min: 1, max: 4 }), fc.boolean(), (agents, limit, hasGone) => {
      const query = { limit, tool: 'claude' };
      const seen: AgentCopy[] = [];
      let cursor: string | undefined;
      do {
        const last = seen.at(-1);
        const left = hasGone ? agents.filter((agent) => agent !== last) : agents;
        const page = listedInFleet(left, { ...query, cursor });
        expect(page.agents.length).toBeLessThanOrEqual(limit);
        seen.push(...page.agents);
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(agents.filter(({ tool }) => tool === 'claude'));
    }),
  );
});
