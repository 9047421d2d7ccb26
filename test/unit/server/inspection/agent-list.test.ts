import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inOrder, type ManagedAgent } from '../../../../src/server/directory/managed-agents.js';
import { type ListQuery, listedAgents, needsStanding } from '../../../../src/server/inspection/agent-list.js';
import { type AgentOverview, unseenAgent } from '../../../../src/server/inspection/agent-overview.js';

const agentOf = (trackedAgentId: string, more: Partial<ManagedAgent> = {}): ManagedAgent =>
  ({
    trackedAgentId,
    transport: 'headless',
    tool: 'claude',
    agentName: null,
    terminalId: null,
    ...more,
  }) as ManagedAgent;
const standing = (agent: ManagedAgent, state: AgentOverview['state']): AgentOverview => ({
  ...unseenAgent(agent, ''),
  state,
});
const idsOf = ({ agents }: ReturnType<typeof listedAgents>): string[] =>
  agents.map(({ agent }) => agent.trackedAgentId);

const alpha = agentOf('1', { agentName: 'HOUMAO-alpha' });
const beta = agentOf('2', { agentName: 'beta', tool: 'codex' });
const guest = agentOf('guest', { transport: 'tui' });
const all = [alpha, beta, guest];
const overview = [standing(alpha, 'ready'), standing(guest, 'needs_person')];

test.each<[ListQuery, string[]]>([
  [{}, ['1', '2', 'guest']],
  [{ tool: 'codex' }, ['2']],
  [{ transport: 'tui' }, ['guest']],
  [{ name: 'al' }, ['1']],
  [{ name: 'HOUMAO-al' }, ['1']],
  [{ name: 'HOUMAO-beta' }, ['2']],
  [{ name: 'lpha' }, []],
  [{ name: 'gue' }, ['guest']],
  [{ state: 'needs_person' }, ['guest']],
  // An agent that was not seen yet is unknown.
  [{ state: 'unknown' }, ['2']],
  [{ state: 'ready', tool: 'codex' }, []],
])('%j lets pass %j', (query, ids) => {
  expect(idsOf(listedAgents(all, needsStanding(query) ? overview : null, query))).toEqual(ids);
});

test('how an agent stands is there where it was asked for alone', () => {
  const asked = listedAgents(all, overview, { with: 'standing' });
  expect(asked.agents.map((one) => one.standing?.state)).toEqual(['ready', 'unknown', 'needs_person']);
  expect(listedAgents(all, null, {}).agents.map((one) => one.standing)).toEqual([null, null, null]);
});

describe('pages', () => {
  const anyAgent: fc.Arbitrary<ManagedAgent> = fc
    .record({
      // Also ids that no text encodes by itself.
      id: fc.string({ minLength: 1, unit: 'grapheme' }),
      transport: fc.constantFrom('tui' as const, 'headless' as const),
      tool: fc.constantFrom('claude', 'codex'),
    })
    .map(({ id, ...more }) => agentOf(id, more));
  const anyAgents = fc.uniqueArray(anyAgent, {
    selector: ({ transport, trackedAgentId }) => `${transport} ${trackedAgentId}`,
    maxLength: 30,
  });
  const anyQuery: fc.Arbitrary<ListQuery> = fc.record(
    { tool: fc.constantFrom('claude', 'codex'), transport: fc.constantFrom('tui', 'headless') },
    { requiredKeys: [] },
  );
  const limits = fc.integer({ min: 1, max: 10 });

  test('have each agent that stays exactly once and in order, whichever others come and go between them', () => {
    fc.assert(
      fc.property(
        anyAgents,
        fc.infiniteStream(fc.integer({ min: 0 })),
        anyQuery,
        limits,
        (known, draws, query, limit) => {
          const [staying, passing] = [
            known.filter((_, at) => at % 2 === 0),
            known.filter((_, at) => at % 2 === 1),
          ];
          const seen: ManagedAgent[] = [];
          let cursor: string | undefined;
          do {
            const present = passing.filter(() => Number(draws.next().value) % 2 === 0);
            const place = cursor === undefined ? {} : { cursor };
            const page = listedAgents(inOrder([...staying, ...present]), null, { ...query, limit, ...place });
            expect(page.agents.length).toBeLessThanOrEqual(limit);
            seen.push(...page.agents.map(({ agent }) => agent));
            expect(seen.length).toBeLessThanOrEqual(known.length);
            cursor = page.next ?? undefined;
          } while (cursor !== undefined);
          expect(seen).toEqual(inOrder(seen));
          expect(new Set(seen).size).toBe(seen.length);
          const wanted = listedAgents(inOrder(staying), null, query).agents.map(({ agent }) => agent);
          expect(seen.filter((agent) => staying.includes(agent))).toEqual(wanted);
        },
      ),
    );
  });

  test('end with null, and only a list that was asked for in pages has a cursor', () => {
    fc.assert(
      fc.property(anyAgents, anyQuery, limits, (known, query, limit) => {
        const agents = inOrder(known);
        const whole = listedAgents(agents, null, query);
        expect(whole.next).toBeUndefined();
        const { next } = listedAgents(agents, null, { ...query, limit });
        expect(next !== null).toBe(whole.agents.length > limit);
        if (next) expect(listedAgents(agents, null, { ...query, cursor: next }).next).toBeNull();
      }),
    );
  });
});
