import { afterEach, expect, test } from 'vitest';
import { deferred } from '../../../../src/foundation/concurrency.js';
import type { ManagedAgent } from '../../../../src/server/directory/managed-agents.js';
import { type AgentOverview, unseenAgent } from '../../../../src/server/inspection/agent-overview.js';
import { HostOverview } from '../../../../src/server/inspection/host-overview.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const agentOf = (name: string): ManagedAgent =>
  ({
    trackedAgentId: name,
    agentName: name,
    tool: 'claude',
    transport: 'headless',
    terminalId: null,
  }) as ManagedAgent;

/** An overview whose agents are as a test says. */
class Stage {
  readonly clock = new VirtualClock('2026-01-01T00:00:00Z');
  readonly looks: string[] = [];
  readonly faults: string[] = [];
  agents = [agentOf('alpha'), agentOf('beta')];
  readonly seen = new Map<string, () => Promise<AgentOverview>>();
  news: ((id: string) => void) | null = null;
  readonly overview = new HostOverview({
    directory: {
      list: () => this.agents,
      refresh: async () => undefined,
      follow: () => () => undefined,
    },
    events: {
      followNews: (listener) => {
        this.news = listener;
        return () => {
          this.news = null;
        };
      },
    },
    look: async (agent) => {
      this.looks.push(agent.trackedAgentId);
      const seen = this.seen.get(agent.trackedAgentId);
      return seen ? seen() : this.as(agent.trackedAgentId, 'ready');
    },
    clock: this.clock,
    report: (fault) => void this.faults.push(fault),
  });

  as(name: string, state: AgentOverview['state']): AgentOverview {
    return { ...unseenAgent(agentOf(name), ''), state, detail: null };
  }
  read(after?: string, waitSeconds = 0) {
    return this.overview.read(after, waitSeconds, new AbortController().signal);
  }
  sets(name: string, state: AgentOverview['state']): void {
    this.seen.set(name, async () => this.as(name, state));
  }
}

const stages: Stage[] = [];
const stage = (): Stage => {
  const made = new Stage();
  stages.push(made);
  return made;
};
afterEach(async () => {
  for (const { overview, faults } of stages.splice(0)) {
    await overview.close();
    expect(faults).toEqual([]);
  }
});

test('a reader that does not wait looks at each agent once, and readers at the same time share it', async () => {
  const { overview, looks, read } = bound(stage());
  const first = await read();
  expect(looks).toEqual(['alpha', 'beta']);
  await Promise.all([read(), read(), read(), read()]);
  // Those that come while a look is under way share the next one.
  expect(looks.length).toBe(6);
  expect((await read()).version).toBe(first.version);
  expect(overview).toBeDefined();
});

const bound = (made: Stage) => ({
  overview: made.overview,
  looks: made.looks,
  read: (after?: string, waitSeconds?: number) => made.read(after, waitSeconds),
});

test('news of an agent answers all readers that wait, and only that agent is looked at again', async () => {
  const on = stage();
  const { version } = await on.read();
  const waiting = [on.read(version, 60), on.read(version, 60), on.read(version, 60)];
  await expect.poll(() => on.news).not.toBeNull();
  await expect.poll(() => on.looks.length).toBeGreaterThanOrEqual(4);
  const before = on.looks.length;
  on.sets('beta', 'working');
  on.news?.('beta');
  const answers = await Promise.all(waiting);
  for (const answer of answers) expect(answer.agents.map(({ state }) => state)).toEqual(['ready', 'working']);
  expect(on.looks.slice(before).filter((id) => id === 'alpha')).toEqual([]);
});

test('a change that nothing reports is seen after a while', async () => {
  const on = stage();
  const { version } = await on.read();
  const waiting = on.read(version, 60);
  await expect.poll(() => on.news).not.toBeNull();
  on.sets('alpha', 'unreachable');
  const answer = await on.clock.passUntil(waiting, 500);
  expect(answer.agents[0]).toMatchObject({ agent_name: 'alpha', state: 'unreachable' });
});

test('a change between a look and the wait is not missed', async () => {
  const on = stage();
  const old = await on.read();
  on.sets('alpha', 'working');
  await on.read();
  expect((await on.read(old.version, 60)).version).not.toBe(old.version);
});

test('an agent that gives no sign holds up no other, and is shown once it gives one', async () => {
  const on = stage();
  const hangs = deferred<AgentOverview>();
  on.seen.set('alpha', () => hangs.promise);
  const first = await on.clock.passUntil(on.read(), 200);
  expect(first.agents.map(({ agent_name, state }) => [agent_name, state])).toEqual([
    ['alpha', 'unknown'],
    ['beta', 'ready'],
  ]);
  const waiting = on.read(first.version, 60);
  hangs.resolve(on.as('alpha', 'ready'));
  const { agents } = await on.clock.passUntil(waiting, 200);
  expect(agents[0]).toMatchObject({ agent_name: 'alpha', state: 'ready' });
});

test('a look that fails breaks no other, is shown at its agent and reported once', async () => {
  const on = stage();
  on.seen.set('alpha', async () => Promise.reject(new Error('broken')));
  await on.read();
  const { agents } = await on.read();
  expect(agents).toMatchObject([
    { agent_name: 'alpha', state: 'unknown', detail: expect.any(String) },
    { agent_name: 'beta', state: 'ready' },
  ]);
  expect(on.faults.splice(0)).toEqual(['alpha could not be looked at: broken']);
});

test('when the last reader has left, nothing is looked at any more, and a reader that comes later is answered', async () => {
  const on = stage();
  const { version } = await on.read();
  const waiting = on.read(version, 60);
  await expect.poll(() => on.news).not.toBeNull();
  on.sets('alpha', 'working');
  on.news?.('alpha');
  await waiting;
  await on.clock.passUntil(expect.poll(() => on.news, { timeout: 20_000 }).toBeNull(), 500);
  const rested = on.looks.length;
  on.clock.pass(60_000);
  expect(on.looks.length).toBe(rested);
  expect((await on.read(version, 60)).version).not.toBe(version);
});

test('a wait ends when the server stops, with what is known', async () => {
  const on = stage();
  const { version } = await on.read();
  const waiting = on.read(version, 60);
  await expect.poll(() => on.news).not.toBeNull();
  await on.overview.close();
  expect((await waiting).version).toBe(version);
});

test('a reader of one agent waits for that one, whatever happens to the others', async () => {
  const on = stage();
  const read = (after?: string, waitSeconds = 0) =>
    on.overview.readAgent('alpha', after, waitSeconds, new AbortController().signal);
  const first = await read();
  expect(first?.agent).toEqual(on.as('alpha', 'ready'));
  let answered = false;
  const waiting = read(first?.version, 60).finally(() => {
    answered = true;
  });
  await expect.poll(() => on.news).not.toBeNull();
  on.sets('beta', 'working');
  on.news?.('beta');
  const all = await on.read();
  expect(all.agents.map(({ state }) => state)).toEqual(['ready', 'working']);
  expect(answered).toBe(false);
  on.sets('alpha', 'working');
  on.news?.('alpha');
  const second = await on.clock.passUntil(waiting, 200);
  expect(second?.agent.state).toBe('working');
  expect(second?.version).not.toBe(first?.version);
  on.agents = [agentOf('beta')];
  expect(await read()).toBeNull();
});

test('a reader of one agent that has just come sees it, also while others wait', async () => {
  const on = stage();
  const { version } = await on.read();
  const others = on.read(version, 60);
  await expect.poll(() => on.news).not.toBeNull();
  on.agents = [...on.agents, agentOf('gamma')];
  const found = await on.overview.readAgent('gamma', undefined, 60, new AbortController().signal);
  expect(found?.agent.agent_name).toBe('gamma');
  expect((await others).agents).toHaveLength(3);
});
