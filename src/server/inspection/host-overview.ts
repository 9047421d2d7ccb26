import { createHash } from 'node:crypto';
import type { components } from '../../../generated/managed-agent/types.js';
import { type Clock, toMicrosecondStamp } from '../../foundation/clock.js';
import { SharedRuns, Waiters } from '../../foundation/concurrency.js';
import { type AgentDirectory, spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { HostEventFeed } from '../events/host-event-feed.js';
import { type AgentOverview, byUrgency, unseenAgent } from './agent-overview.js';

export type HostOverviewAnswer = components['schemas']['HostOverview'];
type AgentAtAGlance = components['schemas']['AgentAtAGlance'];

export interface HostOverviewParts {
  readonly directory: Pick<AgentDirectory, 'list' | 'refresh' | 'follow'>;
  readonly events: Pick<HostEventFeed, 'followNews'>;
  /** Looks at one agent. */
  readonly look: (agent: ManagedAgent) => Promise<AgentOverview>;
  readonly clock: Clock;
  report(fault: string): void;
}

/** How long it takes at most until a change is seen that no event reports, such as a gateway that was killed. */
const lookMilliseconds = 3000;
/** The time between two looks at the agents of which there is news: a person sees no more. */
const pauseMilliseconds = 200;
/** How long a look at one agent holds up the others, such as one whose gateway hangs. */
const patienceMilliseconds = 1000;
/** How long the agents are looked at after the last reader has left: the next call of a reader comes soon. */
const lingerMilliseconds = 5000;
const [anything, news] = ['anything', 'news'];

/** An agent that is looked at. */
interface Watched {
  agent: ManagedAgent;
  readonly looks: SharedRuns<void>;
  /** As it was last seen; null before the first look has ended. */
  seen: AgentOverview | null;
  /** The fault of the last look, which is reported once. */
  fault: string | null;
}

// Whether the agents are looked at:
//
//   resting ──a reader waits──▶ looking ──no reader for a while──▶ resting
//      └────────────────┴──the server stops──▶ closed
//
// A reader that does not wait has all of them looked at once, together with the readers that come meanwhile.

/** All agents of this host at a glance. However many readers wait, each agent is looked at once for all of them. */
export class HostOverview {
  readonly #parts: HostOverviewParts;
  readonly #waiters = new Waiters();
  readonly #watched = new Map<string, Watched>();
  readonly #looksAtAll = new SharedRuns(() => this.#lookAtAll());
  /** The agents of which there is news since they were last looked at. */
  readonly #stirred = new Set<string>();
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #answer: HostOverviewAnswer | null = null;
  #isLooking = false;
  #readers = 0;
  #lastRead = 0;

  constructor(parts: HostOverviewParts) {
    this.#parts = parts;
  }

  /**
   * Returns the agents as they stand now.
   * @param after a version: while it is the present one, the answer waits.
   */
  async read(
    after: string | undefined,
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<HostOverviewAnswer> {
    const { clock } = this.#parts;
    const deadline = clock.monotonic() + waitSeconds * 1000;
    this.#readers += 1;
    try {
      // One that waits gets each change as it comes; any other one asks for what is true now.
      if (!this.#isLooking || waitSeconds === 0) await this.#looksAtAll.run();
      for (;;) {
        const answer = this.#answer ?? this.#publish();
        const left = deadline - clock.monotonic();
        const isOver = left <= 0 || signal.aborted || this.#closing.signal.aborted;
        if (answer.version !== after || isOver) return answer;
        this.#start();
        await this.#waiters.wait(anything, left, signal);
      }
    } finally {
      this.#readers -= 1;
      this.#lastRead = clock.monotonic();
    }
  }

  /**
   * Returns one agent as it stands now; null when this host does not have it any more.
   * @param after a version of this agent: while it is the present one, the answer waits.
   */
  async readAgent(
    trackedAgentId: string,
    after: string | undefined,
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<AgentAtAGlance | null> {
    const { clock } = this.#parts;
    const deadline = clock.monotonic() + waitSeconds * 1000;
    // A reader without an earlier version asks for what is true now, also of an agent that has just come.
    let left = after === undefined ? 0 : waitSeconds;
    let before: string | undefined;
    for (;;) {
      const { agents, version: all, ...at } = await this.read(before, left, signal);
      const agent = agents.find(({ tracked_agent_id }) => tracked_agent_id === trackedAgentId);
      if (agent === undefined) return null;
      const version = versionOf(agent);
      left = Math.max(0, deadline - clock.monotonic()) / 1000;
      // The same version of all is what a wait ends with in which nothing has changed.
      if (version !== after || all === before || left === 0) return { ...at, version, agent };
      before = all;
    }
  }

  /** Ends everything; called when the server stops. Resolves when no agent is looked at any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#waiters.releaseAll();
    await Promise.all(this.#underWay);
  }

  #start(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { events, directory, clock } = this.#parts;
    const resting = new AbortController();
    const end = AbortSignal.any([resting.signal, this.#closing.signal]);
    const forgetNews = events.followNews((id) => {
      this.#stirred.add(id);
      this.#waiters.wake(news);
    });
    const forgetAgents = directory.follow(() => void this.#looksAtAll.run());
    end.addEventListener('abort', () => {
      forgetNews();
      forgetAgents();
      this.#isLooking = false;
      // A reader that came at the last moment starts it again.
      this.#waiters.wake(anything);
    });
    const lookAround = async (): Promise<void> => {
      for (;;) {
        await this.#looksAtAll.run();
        await clock.sleep(lookMilliseconds, end);
        if (end.aborted) return;
        if (this.#isLeft()) resting.abort();
      }
    };
    void lookAround();
    void this.#followNews(end);
  }

  #isLeft(): boolean {
    return this.#readers === 0 && this.#parts.clock.monotonic() - this.#lastRead >= lingerMilliseconds;
  }

  /** Looks again at those agents to which something happened. */
  async #followNews(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      if (this.#stirred.size === 0) await this.#waiters.wait(news, lookMilliseconds, end);
      const stirred = [...this.#stirred];
      this.#stirred.clear();
      if (stirred.length === 0) continue;
      await this.#lookAt(stirred.flatMap((id) => this.#watched.get(id) ?? []));
      await this.#parts.clock.sleep(pauseMilliseconds, end);
    }
  }

  /** Never rejects. */
  async #lookAtAll(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { directory, report } = this.#parts;
    await directory
      .refresh()
      .catch((error: Error) => report(`it is not known which agents there are: ${error.message}`));
    const agents = directory.list();
    const ids = new Set(agents.map(({ trackedAgentId }) => trackedAgentId));
    for (const id of this.#watched.keys()) if (!ids.has(id)) this.#watched.delete(id);
    await this.#lookAt(agents.map((agent) => this.#watchedOf(agent)));
  }

  #watchedOf(agent: ManagedAgent): Watched {
    const known = this.#watched.get(agent.trackedAgentId);
    if (known) {
      known.agent = agent;
      return known;
    }
    const watched: Watched = {
      agent,
      looks: new SharedRuns(() => this.#see(watched)),
      seen: null,
      fault: null,
    };
    this.#watched.set(agent.trackedAgentId, watched);
    return watched;
  }

  /** Looks at agents, all at the same time. One that takes long is seen later, and holds up no other. */
  async #lookAt(watched: readonly Watched[]): Promise<void> {
    const ended = new AbortController();
    let isLate = false;
    const looks = watched.map(async ({ looks }) => {
      await looks.run();
      if (isLate) this.#publish();
    });
    const all = Promise.all(looks).then(() => ended.abort());
    this.#underWay.add(all);
    void all.finally(() => this.#underWay.delete(all));
    await this.#parts.clock.sleep(patienceMilliseconds, ended.signal);
    isLate = true;
    this.#publish();
  }

  /** Never rejects: a fault of one agent is shown at that agent. */
  async #see(watched: Watched): Promise<void> {
    const { agent } = watched;
    if (this.#closing.signal.aborted) return;
    try {
      watched.seen = await this.#parts.look(agent);
      watched.fault = null;
    } catch (error) {
      const { message } = error as Error;
      watched.seen = unseenAgent(agent, 'It could not be looked at; the log of the server says why.');
      if (watched.fault !== message && !this.#closing.signal.aborted)
        this.#parts.report(`${spokenName(agent)} could not be looked at: ${message}`);
      watched.fault = message;
    }
  }

  /** Puts the answer together, and wakes the readers when it differs from the last one. */
  #publish(): HostOverviewAnswer {
    const agents = byUrgency(
      [...this.#watched.values()].map(
        ({ agent, seen }) => seen ?? unseenAgent(agent, 'It gives no sign yet.'),
      ),
    );
    const version = versionOf(agents);
    const isNew = version !== this.#answer?.version;
    const observed_at_utc = toMicrosecondStamp(this.#parts.clock.now());
    this.#answer = { schema_version: 1, version, observed_at_utc, agents };
    if (isNew) this.#waiters.wake(anything);
    return this.#answer;
  }
}

const versionOf = (seen: object): string =>
  createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, 16);
