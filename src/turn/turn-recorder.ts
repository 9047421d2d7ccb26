import type { AgentTarget } from '../agent/target/agent-target.js';
import type { Journal } from '../events/journal.js';
import type { Clock } from '../foundation/clock.js';
import { deferred } from '../foundation/concurrency.js';
import type { ProcessIdentity } from '../foundation/processes.js';
import { toSecondStamp } from '../foundation/timestamps.js';
import type { PastedPrompt, TurnObserver } from '../run/running-turn.js';
import { unlessStorage } from '../storage/storage-fault.js';
import { type TurnEnding, writeTurnEnd } from './turn-end.js';
import type { DeliveryState, TurnTable } from './turn-table.js';
import type { StopReason } from './verdict.js';

/** When a prompt counts as delivered, and what else belongs into the transaction that notes it. */
interface DeliveryRule {
  countsWhen: 'handed_over' | 'confirmed';
  delivered(atUtc: string): void;
}

/** What a process of its own was given it has; an agent that stays has to show that it took it. */
export const deliveryRuleOf = (
  { interactive }: Pick<AgentTarget, 'interactive'>,
  delivered: (atUtc: string) => void = () => undefined,
): DeliveryRule =>
  interactive
    ? { countsWhen: 'confirmed', delivered }
    : { countsWhen: 'handed_over', delivered: () => undefined };

export interface RecorderParts {
  journal: Journal;
  table: TurnTable;
  clock: Clock;
  /** Called with faults that end no turn but must not stay silent. */
  report: (fault: string) => void;
}

interface Note {
  write: () => void;
  /** The transaction that wrote it last; it may have been rolled back. */
  writtenIn: number;
}

/**
 * Writes down what becomes of one turn, each fact once. What the store refuses is kept and goes with whatever is
 * written next, at the latest with the end.
 */
export class TurnRecorder implements TurnObserver {
  readonly #parts: RecorderParts;
  readonly #turnId: string;
  readonly #requestId: string | null;
  readonly #rule: DeliveryRule;
  readonly #delivered = deferred<boolean | 'left'>();
  readonly #processes: ProcessIdentity[];
  #delivery: DeliveryState;
  /** Oldest first. */
  #unnoted: Note[] = [];

  /** @param known what is on disk already. */
  constructor(
    parts: RecorderParts,
    { turnId, requestId }: { turnId: string; requestId: string | null },
    known: { delivery: DeliveryState; processes: readonly ProcessIdentity[] },
    rule: DeliveryRule,
  ) {
    this.#rule = rule;
    this.#parts = parts;
    this.#turnId = turnId;
    this.#requestId = requestId;
    this.#delivery = known.delivery;
    this.#processes = [...known.processes];
    const before = rule.countsWhen === 'confirmed' ? ['claimed', 'handed_over'] : ['claimed'];
    if (!before.includes(known.delivery)) this.#delivered.resolve(true);
  }

  /** Whether the agent got the prompt; `left` when the turn was left before that was known. */
  get delivered(): Promise<boolean | 'left'> {
    return this.#delivered.promise;
  }

  spawned(process: ProcessIdentity): void {
    const { pid, startedAt } = process;
    if (this.#processes.some((known) => known.pid === pid && known.startedAt === startedAt)) return;
    this.#processes.push(process);
    const json = JSON.stringify(this.#processes);
    this.#note(() => this.#parts.table.noteProcesses(this.#turnId, json));
  }

  handedOver(evidence: string): void {
    const counts = this.#rule.countsWhen === 'handed_over';
    if (this.#delivery === 'claimed') this.#deliver('handed_over', evidence);
    if (counts) this.#delivered.resolve(true);
  }

  confirmed(evidence: string): void {
    if (this.#delivery === 'confirmed') return;
    // Who waits for it reads what is on disk. What the store refuses now is written with the end.
    this.#deliver('confirmed', evidence, () => this.#delivered.resolve(true));
  }

  async pasting(paste: PastedPrompt): Promise<void> {
    const { journal, table } = this.#parts;
    await journal.write(() => {
      this.#writeNotes();
      table.notePasted(this.#turnId, paste);
    });
  }

  report(fault: string): void {
    this.#parts.report(fault);
  }

  /** Why the turn is being stopped, so that whoever sees its end knows it too. */
  stopping(reason: StopReason): void {
    const { table, clock } = this.#parts;
    const atUtc = toSecondStamp(clock.now());
    this.#note(() => {
      table.noteStop(this.#turnId, reason);
      if (reason === 'interrupt') table.interrupts.note(this.#turnId, atUtc);
    });
  }

  /**
   * What has happened gets on disk, however long a full disk takes.
   * @param also what else belongs into that transaction.
   * @param enough ends the tries.
   * @throws what was wrong with this very work: it would be refused for ever.
   */
  async end(ending: TurnEnding, also: (atUtc: string) => void, enough: AbortSignal): Promise<void> {
    this.#endDelivery(false);
    const hopeless = new AbortController();
    const giveUp = (error: unknown): void => unlessStorage(error, (fault) => hopeless.abort(fault));
    await this.#parts.journal.writeAtLast(
      (atUtc) => {
        try {
          this.#writeNotes();
          if (writeTurnEnd(this.#parts, atUtc, this.#turnId, ending)) also(atUtc);
        } catch (error) {
          // Also at a later try, after a disk that was full.
          giveUp(error);
          throw error;
        }
      },
      giveUp,
      AbortSignal.any([enough, hopeless.signal]),
    );
    hopeless.signal.throwIfAborted();
  }

  /** The same of a turn whose end hit an internal error: nothing but that, and tried once. @throws what keeps it from disk. */
  async endByFault(ending: TurnEnding, also: (atUtc: string) => void): Promise<void> {
    this.#endDelivery(false);
    await this.#parts.journal.write((atUtc) => {
      if (writeTurnEnd(this.#parts, atUtc, this.#turnId, ending)) also(atUtc);
    });
  }

  /** A confirmation that is on its way to disk is told of by its own note. */
  #endDelivery(delivered: false | 'left'): void {
    if (this.#delivery !== this.#rule.countsWhen) this.#delivered.resolve(delivered);
  }

  /** Writes what is not on disk yet, if the store takes it: whoever adopts the turn finds the rest out again. */
  async leave(): Promise<void> {
    this.#endDelivery('left');
    if (this.#unnoted.length > 0)
      await this.#parts.journal.write(() => this.#writeNotes()).catch(this.#refused);
  }

  #deliver(state: 'handed_over' | 'confirmed', evidence: string, tried?: () => void): void {
    const { table, journal, clock } = this.#parts;
    const turnId = this.#turnId;
    const atUtc = toSecondStamp(clock.now());
    this.#delivery = state;
    this.#note(() => {
      table.deliver(turnId, state, atUtc, evidence);
      journal.event(atUtc, {
        kind: `turn_${state}`,
        subjectId: turnId,
        data: { turn_id: turnId, request_id: this.#requestId, evidence, at_utc: atUtc },
      });
      // What follows from the delivery is told after it.
      if (state === this.#rule.countsWhen) this.#rule.delivered(atUtc);
    }, tried);
  }

  /** @param tried called when it is on disk, or refused for now. */
  #note(write: () => void, tried: () => void = () => undefined): void {
    this.#unnoted.push({ write, writtenIn: -1 });
    this.#parts.journal
      .write(() => this.#writeNotes())
      .then((transaction) => {
        this.#unnoted = this.#unnoted.filter(({ writtenIn }) => writtenIn !== transaction);
      }, this.#refused)
      .finally(tried);
  }

  /** Runs at most once in each transaction. @returns the transaction's number. */
  #writeNotes(): number {
    const { transaction } = this.#parts.journal;
    for (const note of this.#unnoted) {
      if (note.writtenIn === transaction) continue;
      note.writtenIn = transaction;
      note.write();
    }
    return transaction;
  }

  #refused = (error: unknown): void =>
    unlessStorage(error, ({ message }) => this.#parts.report(`queue.sqlite refused a change: ${message}`));
}
