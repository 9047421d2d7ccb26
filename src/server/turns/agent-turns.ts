import { outcomeUnknownDetail } from '../../dispatch/direct-prompt.js';
import type { Clock } from '../../foundation/clock.js';
import { OneAtATime } from '../../foundation/concurrency.js';
import type { TurnRow } from '../../turn/turn-table.js';
import { type ManagedAgent, spokenName } from '../directory/managed-agent.js';
import type { HeldSession } from '../sessions/held-session.js';
import { RecordsUnreadable } from '../sessions/parked-reader.js';
import type { SessionRecords } from '../sessions/session-records.js';
import type { Sessions } from '../sessions/sessions.js';
import { interruptDirectly, promptDirectly } from './direct-turns.js';
import type { GatewayTurns } from './gateway-turns.js';
import { earlierInterrupt, type InterruptAim, type InterruptResult, isOpen } from './interrupts.js';
import { notHeadless, type PromptFacts, planPrompt } from './prompt-plan.js';
import { noSession, sessionRefusal } from './session-refusal.js';
import { type AgentPrompt, earlier, namesOf, type Prompted, type SubmissionNames } from './submissions.js';
import { isRefused, outcomeUnknown, refuse, type TurnRefusal } from './turn-refusal.js';

/** The time in which a session changes hands; a gateway that starts needs longer, and is then called. */
const patienceMilliseconds = 5000;
const againMilliseconds = 50;
const beginMilliseconds = 10;
/**
 * The longest wait for a terminal to show whether it took a prompt. Most show that sooner; callers usually wait at most
 * 15 s for an answer.
 */
const typingMilliseconds = 10_000;

export interface AgentTurnsParts {
  sessions: Sessions;
  gateways: GatewayTurns;
  clock: Clock;
}

/** Prompts and interrupts for any agent, by whichever way leads to it now. */
export class AgentTurns {
  readonly #parts: AgentTurnsParts;
  /** Keeps other calls from coming between the reading of a gateway's state and the call that depends on it. */
  readonly #turns = new WeakMap<HeldSession, OneAtATime>();

  constructor(parts: AgentTurnsParts) {
    this.#parts = parts;
  }

  async prompt(agent: ManagedAgent, prompt: AgentPrompt): Promise<Prompted> {
    if (prompt.way === 'turns' && agent.transport === 'tui') return notHeadless(spokenName(agent), 'prompt');
    const held = this.#parts.sessions.of(agent);
    if (!held) return noSession(agent);
    const names = namesOf(agent.trackedAgentId, prompt);
    return this.#guarded(prompt.way, async () => {
      // Checked before the session is used: it may not be usable any more.
      const typed = agent.transport === 'tui';
      const known = held.read((records) => earlier(records, names, prompt, typed), null);
      if (!known) await held.settle();
      const answer = known ?? (await this.#prompt(agent, held, prompt, names));
      const replayed = !isRefused(answer) && answer.replayed && answer.queuedAs === null;
      return typed && replayed ? this.#onceTyped(held, names, prompt) : answer;
    });
  }

  /**
   * Answers a repeated key. While the first call with it is still typing, this waits until it is known whether the agent
   * took the prompt.
   */
  async #onceTyped(held: HeldSession, names: SubmissionNames, prompt: AgentPrompt): Promise<Prompted> {
    const { clock } = this.#parts;
    const { turnId } = names;
    const deadline = clock.monotonic() + typingMilliseconds;
    while (held.read((records) => isUnderWay(records.turn(turnId)), false)) {
      if (clock.monotonic() >= deadline) return promptOutcomeUnknown(turnId);
      await clock.sleep(againMilliseconds);
    }
    return (
      held.read((records) => earlier(records, names, prompt, true), null) ?? promptOutcomeUnknown(turnId)
    );
  }

  /**
   * @param headlessOnly for the operation that only headless agents have.
   * @param key the `Idempotency-Key`: a repetition of the call stops nothing, even where the first call met nothing.
   * @param ifTurn the one turn that is to be stopped; null for whichever runs.
   */
  async interrupt(
    agent: ManagedAgent,
    { headlessOnly, ...aim }: InterruptAim & { headlessOnly: boolean },
  ): Promise<InterruptResult> {
    if (headlessOnly && agent.transport === 'tui') return notHeadless(spokenName(agent), 'interrupt');
    const held = this.#parts.sessions.of(agent);
    if (!held) return noSession(agent);
    return this.#guarded('requests', async () => {
      const known = held.read((records) => earlierInterrupt(records, aim.key), null);
      if (known) return known;
      await held.settle();
      return this.#interrupt(agent, held, aim);
    });
  }

  /** Repeats `work` for a while: when the session changes hands, neither way leads to the agent for a moment. */
  async #either<T extends object>(
    agent: ManagedAgent,
    work: () => Promise<T | null>,
  ): Promise<T | TurnRefusal> {
    const { clock } = this.#parts;
    const deadline = clock.monotonic() + patienceMilliseconds;
    for (;;) {
      const done = await work();
      if (done) return done;
      if (clock.monotonic() >= deadline) return elsewhere(agent);
      await clock.sleep(againMilliseconds);
    }
  }

  #prompt(
    agent: ManagedAgent,
    held: HeldSession,
    prompt: AgentPrompt,
    names: SubmissionNames,
  ): Promise<Prompted> {
    return this.#either<Prompted>(agent, () =>
      held.owns && !held.hasGateway
        ? this.#direct(agent, held, prompt, names)
        : this.#inTurn(held, () => this.#byPlan(agent, held, prompt, names)),
    );
  }

  async #byPlan(
    agent: ManagedAgent,
    held: HeldSession,
    prompt: AgentPrompt,
    names: SubmissionNames,
  ): Promise<Prompted | null> {
    const gateway = await this.#gatewayOf(agent, held);
    if (gateway !== null && gateway !== 'terminal' && isRefused(gateway)) return gateway;
    const plan = planPrompt({ ...factsOf(agent, prompt), gateway });
    if (plan === 'direct') return this.#direct(agent, held, prompt, names);
    if (plan !== 'gateway') return plan;
    const queued = await this.#parts.gateways.prompt(agent, prompt, names);
    if (queued === null || isRefused(queued)) return queued;
    try {
      if (agent.transport === 'headless') await this.#begun(held, names.turnId);
      const turnIndex = held.read(
        (records) => records.turn(names.turnId)?.turn_index ?? records.nextIndex(),
        1,
      );
      return { ...names, ...queued, turnIndex };
    } catch (error) {
      if (!(error instanceof RecordsUnreadable)) throw error;
      const has = `The gateway has the prompt as request ${queued.queuedAs}`;
      return outcomeUnknown(`${has}; look up turn ${names.turnId}: ${error.message}`, names.turnId);
    }
  }

  /**
   * Waits until the turn of a queued prompt is on record. The gateway had nothing else to do, so it soon is, unless the
   * queue is paused.
   */
  async #begun(held: HeldSession, turnId: string): Promise<void> {
    const { clock } = this.#parts;
    const deadline = clock.monotonic() + patienceMilliseconds;
    while (clock.monotonic() < deadline) {
      if (held.read((records) => begunOrHeldBack(records, turnId), true)) return;
      await clock.sleep(beginMilliseconds);
    }
  }

  async #gatewayOf(agent: ManagedAgent, held: HeldSession): Promise<PromptFacts['gateway'] | TurnRefusal> {
    if (!held.hasGateway) return null;
    return agent.transport === 'tui' ? 'terminal' : this.#parts.gateways.headlessFacts(agent);
  }

  #direct(
    agent: ManagedAgent,
    held: HeldSession,
    prompt: AgentPrompt,
    names: SubmissionNames,
  ): Promise<Prompted | null> {
    return held.use((owned) => promptDirectly(owned, spokenName(agent), prompt, names, this.#parts.clock));
  }

  #interrupt(agent: ManagedAgent, held: HeldSession, aim: InterruptAim): Promise<InterruptResult> {
    const { clock } = this.#parts;
    return this.#either<InterruptResult>(agent, async () => {
      if (held.hasGateway) {
        const passed = await this.#interruptGateway(agent, held, aim);
        if (passed) return passed;
      }
      const idle = agent.transport === 'headless' && held.read((records) => records.running(), null) === null;
      if (idle && isOpen(aim)) return { met: 'nothing' };
      return held.use((owned) => interruptDirectly(owned, clock, aim));
    });
  }

  /**
   * Interrupts through the gateway. With a key or an aim the gateway alone decides whether there is something to stop,
   * and keeps its answer.
   */
  async #interruptGateway(
    agent: ManagedAgent,
    held: HeldSession,
    aim: InterruptAim,
  ): Promise<InterruptResult | null> {
    const { gateways } = this.#parts;
    if (agent.transport === 'tui') {
      const rests = await gateways.terminalRests(agent);
      if (rests === null || typeof rests === 'object') return rests;
      const running = held.read((records) => records.running(), null);
      const works = !rests || running !== null;
      if (!works && isOpen(aim)) return { met: 'nothing' };
      return gateways.interrupt(agent, { turnId: running?.turn_id ?? null, running: works, ...aim });
    }
    const facts = await gateways.headlessFacts(agent);
    if (facts === null || isRefused(facts)) return facts;
    const turnId = facts.activeTurnId;
    if (turnId === null && !facts.running && isOpen(aim)) return { met: 'nothing' };
    const interrupted = await gateways.interrupt(agent, { turnId, running: facts.running, ...aim });
    if (interrupted === null || isRefused(interrupted) || interrupted.met === 'nothing' || turnId === null)
      return interrupted;
    const turnIndex = held.read((records) => records.turn(turnId)?.turn_index ?? records.nextIndex(), 1);
    return { ...interrupted, turnIndex };
  }

  #inTurn<T>(held: HeldSession, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(held) ?? new OneAtATime();
    this.#turns.set(held, turns);
    return turns.run(work);
  }

  /** Converts faults in the files of a session to refusals without their paths. */
  async #guarded<T extends object>(
    way: AgentPrompt['way'],
    work: () => Promise<T>,
  ): Promise<T | TurnRefusal> {
    try {
      return await work();
    } catch (error) {
      return sessionRefusal(error, way);
    }
  }
}

/** Decides whether the turn has begun, or will not begin for now. */
const begunOrHeldBack = (records: SessionRecords, turnId: string): boolean =>
  records.turn(turnId) !== null || records.waitingFor(turnId) === null || records.isQueuePaused();

const factsOf = (agent: ManagedAgent, prompt: AgentPrompt): Omit<PromptFacts, 'gateway'> => ({
  name: spokenName(agent),
  way: prompt.way,
  transport: agent.transport,
  hasExecution: prompt.execution !== null,
  wantsCurrent: prompt.chatSession?.mode === 'current',
});

const elsewhere = (agent: ManagedAgent): TurnRefusal =>
  refuse(
    'unavailable',
    `Another program runs the turns of agent \`${spokenName(agent)}\`, and no gateway of it answers; try again.`,
  );

/** Decides whether a prompt is being typed, and it is unknown yet whether the agent takes it. */
const isUnderWay = (turn: Pick<TurnRow, 'state' | 'delivery_state'> | null): boolean =>
  turn?.state === 'running' && ['claimed', 'handed_over'].includes(turn.delivery_state);

const promptOutcomeUnknown = (turnId: string): TurnRefusal =>
  outcomeUnknown(outcomeUnknownDetail(turnId), turnId);
