import { outcomeUnknownDetail, receiptOf } from '../../dispatch/direct-prompt.js';
import type { Clock } from '../../foundation/clock.js';
import { OncePerKey, OneAtATime } from '../../foundation/concurrency.js';
import type { TurnRow } from '../../turn/turn-table.js';
import { spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { HeldSession } from '../sessions/held-session.js';
import { RecordsUnreadable } from '../sessions/session-records.js';
import type { Sessions } from '../sessions/sessions.js';
import { interruptDirectly, promptDirectly } from './direct-turns.js';
import type { GatewayTurns } from './gateway-turns.js';
import {
  digestOf,
  earlier,
  earlierInterrupt,
  type InterruptAim,
  type InterruptResult,
  interruptDigest,
  isOpen,
  isRefused,
  namesOf,
  noSession,
  notHeadless,
  otherBody,
  outcomeUnknown,
  type Prompted,
  type PromptWay,
  refuse,
  type SubmissionNames,
  type SubmittedPrompt,
  sessionRefusal,
  type TurnRefusal,
} from './submissions.js';

/** The time in which a session changes hands; a gateway that starts needs longer, and is then called. */
const patienceMilliseconds = 5000;
const againMilliseconds = 50;
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
  /** Keeps other prompts from coming between the reading of a gateway's state and the prompt that depends on it. */
  readonly #queueing = new WeakMap<HeldSession, OneAtATime>();
  readonly #keyed = new OncePerKey<Prompted | InterruptResult>();

  constructor(parts: AgentTurnsParts) {
    this.#parts = parts;
  }

  async prompt(agent: ManagedAgent, prompt: SubmittedPrompt): Promise<Prompted> {
    if (prompt.way === 'turns' && agent.transport === 'tui') return notHeadless(spokenName(agent), 'prompt');
    const held = this.#parts.sessions.of(agent);
    if (!held) return noSession(agent);
    const work = (): Promise<Prompted> =>
      this.#guarded(prompt.way, () =>
        this.#prompt(agent, held, prompt, namesOf(agent.trackedAgentId, prompt)),
      );
    return this.#once(agent, prompt.key, digestOf(prompt), work);
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
    const work = (): Promise<InterruptResult> =>
      this.#guarded('requests', async () => {
        const known = held.read((records) => earlierInterrupt(records, aim.key), null);
        if (known) return known;
        await held.settle();
        return this.#either<InterruptResult>(agent, () => this.#interrupt(agent, held, aim));
      });
    return this.#once(agent, aim.key, interruptDigest, work);
  }

  /** Lets calls share the outcome of one that is under way with their key; its key is looked up by that one alone. */
  async #once<Result extends Prompted | InterruptResult>(
    agent: ManagedAgent,
    key: string | null,
    digest: string,
    work: () => Promise<Result>,
  ): Promise<Result | TurnRefusal> {
    if (key === null) return work();
    const once = await this.#keyed.run(`${agent.trackedAgentId}\n${key}`, digest, work);
    if (once === null) return otherBody;
    // Calls of one key and digest are of one kind.
    const answer = once.answer as Result;
    return once.shared && !isRefused(answer) ? { ...answer, replayed: true } : answer;
  }

  async #prompt(
    agent: ManagedAgent,
    held: HeldSession,
    prompt: SubmittedPrompt,
    names: SubmissionNames,
  ): Promise<Prompted> {
    // Checked before the session is used: it may not be usable any more.
    const known = await this.#earlier(agent, held, prompt, names);
    if (known) return known;
    await held.settle();
    return this.#either<Prompted>(agent, async () => {
      const queued = held.hasGateway
        ? await this.#oneAtATime(held, () => this.#queue(agent, held, prompt, names))
        : null;
      const { clock } = this.#parts;
      return queued ?? held.use((owned) => promptDirectly(owned, spokenName(agent), prompt, names, clock));
    });
  }

  /**
   * Returns the earlier answer to a key. A prompt that an earlier owner of the session was typing is waited for, until it
   * is known whether the agent took it.
   */
  async #earlier(
    agent: ManagedAgent,
    held: HeldSession,
    prompt: SubmittedPrompt,
    names: SubmissionNames,
  ): Promise<Prompted | null> {
    const typed = agent.transport === 'tui';
    const look = (): Prompted | null => held.read((records) => earlier(records, names, prompt, typed), null);
    const isTyping = (): boolean => held.read((records) => isUnderWay(records.turn(names.turnId)), false);
    const known = look();
    if (!known || isRefused(known) || !typed || known.queuedAs !== null || !isTyping()) return known;
    await held.settle();
    if (held.liveTurnId === names.turnId)
      await held.ended(names.turnId, typingMilliseconds, new AbortController().signal);
    return isTyping() ? promptOutcomeUnknown(names.turnId) : (look() ?? promptOutcomeUnknown(names.turnId));
  }

  /** Queues a prompt at the gateway. */
  async #queue(
    agent: ManagedAgent,
    held: HeldSession,
    prompt: SubmittedPrompt,
    names: SubmissionNames,
  ): Promise<Prompted | null> {
    const queued = await this.#parts.gateways.prompt(agent, prompt, names);
    if (queued === null || isRefused(queued)) return queued;
    const { queuedAs } = queued;
    try {
      return { ...names, ...queued, turnIndex: queued.turnIndex ?? indexOf(held, names.turnId) };
    } catch (error) {
      if (!(error instanceof RecordsUnreadable)) throw error;
      const has = `The gateway has the prompt as request ${queuedAs}`;
      return outcomeUnknown(`${has}; look up turn ${names.turnId}: ${error.message}`, names.turnId);
    }
  }

  async #interrupt(
    agent: ManagedAgent,
    held: HeldSession,
    aim: InterruptAim,
  ): Promise<InterruptResult | null> {
    const { clock, gateways } = this.#parts;
    const answer = held.hasGateway ? await gateways.interrupt(agent, aim) : null;
    if (answer) {
      if (isRefused(answer) || answer.met === 'nothing') return answer;
      const { turnId } = answer;
      const hasIndex = turnId !== null && agent.transport === 'headless';
      return hasIndex ? { ...answer, turnIndex: indexIfReadable(held, turnId) } : answer;
    }
    const idle = agent.transport === 'headless' && held.read((records) => records.running(), null) === null;
    if (idle && isOpen(aim)) return { met: 'nothing' };
    return held.use((owned) => interruptDirectly(owned, clock, aim));
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

  #oneAtATime<T>(held: HeldSession, work: () => Promise<T>): Promise<T> {
    const queueing = this.#queueing.get(held) ?? new OneAtATime();
    this.#queueing.set(held, queueing);
    return queueing.run(work);
  }

  /** Converts faults in the files of a session to refusals without their paths. */
  async #guarded<T extends object>(way: PromptWay, work: () => Promise<T>): Promise<T | TurnRefusal> {
    try {
      return await work();
    } catch (error) {
      return sessionRefusal(error, way);
    }
  }
}

/** Returns the number of a turn that was stopped; null where the records cannot be read: the interrupt was sent all the same. */
function indexIfReadable(held: HeldSession, turnId: string): number | null {
  try {
    return indexOf(held, turnId);
  } catch (error) {
    if (error instanceof RecordsUnreadable) return null;
    throw error;
  }
}

/** Returns the number of a turn; for one that has not begun, the number that it will have. */
const indexOf = (held: HeldSession, turnId: string): number =>
  held.read((records) => records.turn(turnId)?.turn_index ?? records.nextIndex(), 1);

const elsewhere = (agent: ManagedAgent): TurnRefusal =>
  refuse(
    'unavailable',
    `Another program runs the turns of agent \`${spokenName(agent)}\`, and no gateway of it answers; try again.`,
  );

/** Decides whether a prompt is being typed, and it is unknown yet whether the agent takes it. */
const isUnderWay = (turn: TurnRow | null): boolean =>
  turn !== null && receiptOf(turn, true).kind === 'under_way';

const promptOutcomeUnknown = (turnId: string): TurnRefusal =>
  outcomeUnknown(outcomeUnknownDetail(turnId), turnId);
