import type { AgentTarget } from '../agent/target/agent-target.js';
import type { Journal } from '../events/journal.js';
import { type Clock, toSecondStamp } from '../foundation/clock.js';
import { deferred } from '../foundation/concurrency.js';
import type { ProcessIdentity } from '../foundation/processes.js';
import type { PastedPrompt, TurnObserver } from '../run/running-turn.js';
import { unlessStorage } from '../storage/storage-fault.js';
import { type TurnEnding, writeTurnEnd } from './turn-end.js';
import type { DeliveryState, StopReason, TurnTable } from './turn-table.js';

/** The rule when a prompt counts as delivered, and further work in the transaction that records the delivery. */
interface DeliveryRule {
  countsWhen: 'handed_over' | 'confirmed';
  delivered(atUtc: string): void;
}

/**
 * Returns the delivery rule of an agent. A process started for one turn has its prompt once that was handed over; an
 * agent that stays has to show that it took the prompt.
 */
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
  /** Called with faults that end no turn but must be reported. */
  report: (fault: string) => void;
}

interface Note {
  write: () => void;
  /** The transaction that wrote it last; it may have been rolled back. */
  writtenIn: number;
}

/**
 * The recorder of what becomes of one turn, each fact once. A fact that the store refuses is kept and written with the
 * next one, at the latest with the end of the turn.
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

  /** @param known the facts that are on disk already. */
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
    // Resolved after the write, because its waiters read what is on disk. A fact that the store refuses now is written
    // with the end.
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

  /** Notes why the turn is being stopped, so that another process that sees its end knows the reason too. */
  stopping(reason: StopReason): void {
    const { table, clock } = this.#parts;
    const atUtc = toSecondStamp(clock.now());
    this.#note(() => {
      table.noteStop(this.#turnId, reason);
      if (reason === 'interrupt') table.interrupts.note(this.#turnId, atUtc);
    });
  }

  /**
   * Writes the end of the turn to disk, however long the disk stays full.
   * @param also further work in that transaction.
   * @param enough ends the tries.
   * @throws the fault of this work itself: it would be refused forever.
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
          // `writeAtLast` reports only the first refusal; this fault may come at a later try, after a disk that was full.
          giveUp(error);
          throw error;
        }
      },
      giveUp,
      AbortSignal.any([enough, hopeless.signal]),
    );
    hopeless.signal.throwIfAborted();
  }

  /**
   * Writes the end of a turn whose end hit an internal error: only the end, without the kept facts, and tried once.
   * @throws the error that keeps it from disk.
   */
  async endByFault(ending: TurnEnding, also: (atUtc: string) => void): Promise<void> {
    this.#endDelivery(false);
    await this.#parts.journal.write((atUtc) => {
      if (writeTurnEnd(this.#parts, atUtc, this.#turnId, ending)) also(atUtc);
    });
  }

  /** Resolves `delivered` with this value. Where the sign that counts has come already, its write to disk resolves `delivered`. */
  #endDelivery(delivered: false | 'left'): void {
    if (this.#delivery !== this.#rule.countsWhen) this.#delivered.resolve(delivered);
  }

  /** Writes what is not on disk yet, if the store accepts it: a process that adopts the turn finds the rest out again. */
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
      // The consequences of the delivery are recorded after the delivery itself.
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

  /**
   * Writes each note at most once in a transaction.
   * @returns the transaction's number.
   */
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
