import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agentElsewhere,
  agentsOf,
  commandWords,
  isAway,
  knownAge,
  outsideWords,
  presenceWords,
  type SeenFleet,
} from '../../../console/src/hosts.js';
import type { ListedAgent } from '../../../console/src/words.js';

type State = ListedAgent['state'];
const now = Date.parse('2026-03-13T12:00:00Z');
const minutesAgo = (minutes: number): number => now - minutes * 60_000;

const identity = (host: string, name: string, state: State = 'ready', seconds_ago: number | null = 0) => ({
  tracked_agent_id: `${name}-1`,
  agent_name: `HOUMAO-${name}`,
  agent_id: null,
  tool: 'claude',
  transport: 'headless' as const,
  session_name: null,
  terminal_id: null,
  runtime_session_id: null,
  tmux_session_name: null,
  tmux_window_name: null,
  manifest_path: null,
  session_root: null,
  place: {
    host,
    reference: `${name}@${host}`,
    presence: 'away' as const,
    state,
    detail: null,
    known_at_utc: null,
    seconds_ago,
  },
});
const elsewhere = (host: string, name: string, state: State = 'ready'): ListedAgent => {
  const agent = agentElsewhere(identity(host, name, state), 'ws1', now);
  if (agent === null) throw new Error('it is of this host');
  return agent;
};
const own = (name: string, state: State = 'ready'): ListedAgent => ({
  ...elsewhere('ws9', name, state),
  elsewhere: undefined,
});
const status = {
  schema_version: 1 as const,
  state: 'online' as const,
  since_utc: '2026-03-13T11:55:00Z',
  detail: null,
  host: 'ws1',
  address: null,
  events_waiting: 0,
  commands_waiting: 0,
  mail_waiting: 0,
};
const fleet = (...agents: ListedAgent[]): SeenFleet => ({ status, hosts: [], agents, readAt: now });

describe('the agents', () => {
  test('of this host are those of its overview, whatever the list of the fleet says of them', () => {
    expect(agentElsewhere(identity('ws1', 'alpha'), 'ws1', now)).toBeNull();
    const agents = [own('zeta', 'needs_person'), own('alpha')];
    expect(agentsOf('ws1', agents, fleet(elsewhere('ws2', 'beta')))).toBe(agents);
    expect(agentsOf(null, agents, null)).toBe(agents);
    expect(agentsOf('ws2', agents, null)).toBe(agents);
  });

  test('of another host are those of it alone; of all hosts those that need a person come first', () => {
    const all = fleet(
      elsewhere('ws2', 'beta'),
      elsewhere('ws3', 'gamma', 'needs_person'),
      elsewhere('ws2', 'delta', 'unreachable'),
    );
    const names = (chosen: string | null) =>
      agentsOf(chosen, [own('alpha'), own('omega', 'fault')], all).map(
        ({ elsewhere, agent_name }) => elsewhere?.reference ?? agent_name,
      );
    expect(names('ws2')).toEqual(['delta@ws2', 'beta@ws2']);
    expect(names('ws4')).toEqual([]);
    expect(names(null)).toEqual(['gamma@ws3', 'delta@ws2', 'HOUMAO-omega', 'HOUMAO-alpha', 'beta@ws2']);
  });

  test('a state that a later release has is a difficulty, and hides no question', () => {
    const later = elsewhere('ws2', 'later', 'half_asleep' as State);
    const order = agentsOf(
      'ws2',
      [],
      fleet(elsewhere('ws2', 'a'), later, elsewhere('ws2', 'z', 'needs_person')),
    );
    expect(order.map(({ state }) => state)).toEqual(['needs_person', 'half_asleep', 'ready']);
  });
});

test('the age of what is known is said only where the host is away', () => {
  const seen = (presence: 'online' | 'away' | 'left' | 'unknown', heardAt: number | null) => ({
    elsewhere: { host: 'ws2', reference: 'beta@ws2', presence, heardAt },
  });
  expect(knownAge({}, now)).toBeNull();
  expect(isAway({})).toBe(false);
  expect(knownAge(seen('online', minutesAgo(9)), now)).toBeNull();
  for (const presence of ['away', 'left', 'unknown'] as const) {
    expect(isAway(seen(presence, null))).toBe(true);
    expect(knownAge(seen(presence, minutesAgo(9)), now)).toBe('as of 9m ago');
    expect(knownAge(seen(presence, null), now)).toBe('never seen');
  }
  expect(agentElsewhere(identity('ws2', 'beta', 'ready', 90), 'ws1', now)?.elsewhere?.heardAt).toBe(
    now - 90_000,
  );
  expect(agentElsewhere(identity('ws2', 'beta', 'ready', null), 'ws1', now)?.elsewhere?.heardAt).toBeNull();
});

test('a host is online, or was last there at a time, with the date where that was another day', () => {
  const words = (presence: 'online' | 'away' | 'left' | 'unknown', seconds_ago: number) =>
    presenceWords({ presence, seconds_ago, is_this: false }, now, now + 1000);
  expect(words('online', 3)).toBe('online');
  expect(words('away', 299)).toMatch(/^away since \d.*, 5m ago$/);
  expect(words('left', 299)).toMatch(/^left at \d.*, 5m ago$/);
  expect(words('unknown', 299)).toMatch(/^unknown, last heard of at \d.*, 5m ago$/);
  expect(presenceWords({ presence: 'unknown', seconds_ago: 1, is_this: true }, now, now)).toBe(
    'out of its fleet',
  );
  expect(words('left', 7 * 86_400)).toContain(new Date(now - 7 * 86_400_000).toLocaleDateString());
  expect(words('left', 1)).not.toContain(new Date(now).toLocaleDateString());
  fc.assert(
    fc.property(fc.nat({ max: 1e7 }), (seconds) => {
      expect(words('away', seconds)).toMatch(/, \d+[smhd] ago$/);
    }),
  );
});

test('a host that is out of its fleet says since when and why; one that is in it says nothing', () => {
  expect(outsideWords(status, now)).toBeNull();
  expect(outsideWords({ ...status, state: 'none' }, now)).toBeNull();
  const refused = outsideWords({ ...status, state: 'refused', detail: 'the name is taken.' }, now);
  expect(refused).toMatch(/^This host is refused by its fleet since \d.*: the name is taken\. /);
  const started = outsideWords({ ...status, state: 'connecting', since_utc: null }, now);
  expect(started).toMatch(/^This host is not in its fleet yet, and tries\. /);
});

test('a prompt with the fleet says how far it came', () => {
  const command = {
    schema_version: 1 as const,
    command_id: 'fcmd-1',
    host: 'ws2',
    agent_ref: 'beta',
    prompt_preview: null,
    accepted_at_utc: '',
    deadline_at_utc: null,
    admitted_at_utc: null,
    request_id: 'gwreq-1',
    delivered_at_utc: null,
    ended_at_utc: null,
  };
  const words = (state: Parameters<typeof commandWords>[0]['state'], detail: string | null = null) =>
    commandWords({ ...command, state, detail });
  expect(words('accepted')).toBe('accepted by the fleet, waits for host ws2');
  expect(words('admitting', 'its queue is full')).toBe('host ws2 is taking it: its queue is full');
  expect(words('refused', 'no such agent')).toBe('host ws2 refused it: no such agent');
  expect(words('lapsed')).toBe('lapsed: host ws2 did not take it in time');
  expect(words('cancelled')).toBe('cancelled');
  expect(words('admitted')).toBe('host ws2 has it as gwreq-1');
});
