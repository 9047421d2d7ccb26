import { deferred } from '../../foundation/concurrency.js';
import { countedWith } from '../../foundation/text.js';
import {
  noSigns,
  type PastedPrompt,
  type RunningTurn,
  type StopOutcome,
  type TurnObserver,
  type TurnSigns,
} from '../../run/running-turn.js';
import { typeableText } from '../../terminal/terminal-input.js';
import type { TerminalState } from '../../terminal/tracker/terminal-state.js';
import { isSamePrompt } from '../../tools/pasted-prompt.js';
import type { PromptTaken, SelfReportFact, TurnEnded } from '../../tools/self-report/self-report.js';
import type { TurnToAdopt } from '../target/agent-target.js';
import { deliverPrompt } from './deliver-prompt.js';
import { interruptTerminal } from './interrupt-terminal.js';
import type { PartLog } from './part-log.js';
import { composerContent, promptReadiness } from './prompt-readiness.js';
import { removeStranded } from './stranded-prompt.js';
import {
  checkTerminal,
  echoesOf,
  isAtWork,
  lostBecause,
  nextSign,
  type TerminalParts,
} from './terminal-check.js';
import {
  endedByStop,
  endingOf,
  notDelivered,
  recoveredSigns,
  restarted,
  undeliveredSigns,
} from './turn-ending.js';

// A turn of an agent in a terminal:
//
//   (resetting ──ready again──▶) delivering ──taken──▶ following ──▶ ended
//                                  │   ▲                  │
//                                  │   └─ recovering ◀────┴── another gateway adopts it
//                                  └──not taken, or outcome unknown──▶ ended
//
// A turn can be left only while it is followed: a delivery or an interrupt that has begun is completed first.

/** The task of a turn. */
export type TerminalOrder =
  | { kind: 'type'; prompt: string; forced: boolean; reset: string | null }
  | { kind: 'adopt'; turn: TurnToAdopt };

/**
 * The time limit for the terminal to be ready again after its conversation was reset
 * (docs/decisions.md#fresh-conversations-in-a-terminal).
 */
const resetMilliseconds = 15_000;
/**
 * The longest pause between two checks of a followed turn. Observations and reports of the agent end it earlier; without any, a
 * turn may still end because of the time that has passed.
 */
const followMilliseconds = 1000;
/** The time limit for the agent's own report on a turn that was interrupted. */
const lastReportMilliseconds = 1000;

export function startTerminalTurn(
  parts: TerminalParts,
  order: TerminalOrder,
  observer: TurnObserver,
  log: PartLog,
): RunningTurn {
  const turn = new TerminalTurn(parts, order, observer, log);
  return { ended: turn.run(), stop: (_ladder, letGo) => turn.stop(letGo), leave: () => turn.leave() };
}

class TerminalTurn {
  readonly #parts: TerminalParts;
  readonly #order: TerminalOrder;
  readonly #observer: TurnObserver;
  readonly #log: PartLog;
  /** Whether the prompt was delivered: the turn is followed from then on. */
  readonly #delivered = deferred<boolean>();
  /** The turn has ended or was left. */
  readonly #over = deferred<void>();
  #isOver = false;
  #text: string;
  /** The agent's report that it took the prompt. */
  #row: PromptTaken | null = null;
  /** The agent's report that the turn has ended. */
  #ended: TurnEnded | null = null;
  /** The agent reported that it took the prompt back. */
  #dropped = false;
  /** The turn is to be left as soon as no interrupt is under way. */
  #left = false;
  /** An interrupt is under way. */
  #stopping = false;
  /** An interrupt is done, so the turn ends with the next check. */
  #stopped = false;
  /** The prompt stands in the composer again and could not be removed. */
  #putBack = false;

  constructor(parts: TerminalParts, order: TerminalOrder, observer: TurnObserver, log: PartLog) {
    this.#log = log;
    this.#parts = parts;
    this.#order = order;
    this.#observer = observer;
    this.#text = order.kind === 'adopt' ? (order.turn.pasted?.text ?? '') : typeableText(order.prompt).text;
  }

  /** Runs the turn. Resolves with null if it was left. Never rejects. */
  async run(): Promise<TurnSigns | null> {
    const signs = await this.#run();
    this.#logQuestion();
    this.#log.close(signs !== null);
    return signs;
  }

  async #run(): Promise<TurnSigns | null> {
    const adopted = this.#order.kind === 'adopt' ? this.#order.turn : null;
    const unhear = this.#parts.report.listen(adopted?.pasted?.heardUntil ?? null, (fact) => this.#hear(fact));
    try {
      const undelivered = adopted ? await this.#recover(adopted) : await this.#deliver();
      this.#delivered.resolve(undelivered === null);
      return undelivered ?? (await this.#follow());
    } catch (error) {
      const fault = {
        code: 'internal_fault',
        detail: `The gateway hit an internal error: ${(error as Error).message}`,
      } as const;
      return {
        ...noSigns,
        reportedOutcome: { outcome: 'failed', error: fault },
        outcomeUnknown: fault.detail,
      };
    } finally {
      unhear();
      this.#isOver = true;
      this.#delivered.resolve(false);
      this.#over.resolve();
    }
  }

  leave(): void {
    this.#left = true;
  }

  /** Logs the question that the screen shows, or that it shows none. A screen that was not read yet says neither. */
  #logQuestion(): void {
    const { tracker } = this.#parts.watch;
    if (tracker.signals !== null) this.#log.sees(tracker.state.dialog);
  }

  async stop(letGo: boolean): Promise<StopOutcome> {
    if (!(await this.#delivered.promise)) return { outcome: 'stopped', signal: null };
    this.#stopping = true;
    try {
      return await this.#interrupt(letGo);
    } finally {
      this.#stopping = false;
    }
  }

  async #interrupt(letGo: boolean): Promise<StopOutcome> {
    const outcome = await interruptTerminal(this.#parts, {
      mayBegin: () => this.#ended === null,
      isOver: () => this.#isOver,
    });
    // If the turn has ended, a text in the composer is not one that the agent put back.
    if (!this.#isOver && (outcome.outcome !== 'failed' || letGo)) {
      await this.#untilLastReport();
      // After an early interrupt some agents put the prompt back into the composer, and may take no keys for a while.
      const removal = await removeStranded(this.#parts, this.#text, () => this.#ended !== null);
      this.#putBack = removal === 'stands';
      this.#stopped = true;
      await this.#over.promise;
    }
    return outcome.outcome === 'no_op' ? { outcome: 'stopped', signal: null } : outcome;
  }

  async #untilLastReport(): Promise<void> {
    const { clock } = this.#parts;
    const deadline = clock.monotonic() + lastReportMilliseconds;
    while (this.#ended === null && this.#row !== null && clock.monotonic() < deadline)
      await nextSign(this.#parts);
  }

  /** @returns why the prompt was not delivered; null if it was. */
  async #deliver(): Promise<TurnSigns | null> {
    if (this.#order.kind !== 'type') throw new Error('Only a prompt that is typed is delivered.');
    const { prompt, forced, reset } = this.#order;
    if (reset !== null) {
      const kept = await this.#resetConversation(reset, forced);
      if (kept !== null) return notDelivered(kept);
    }
    const { text, removed } = typeableText(prompt);
    const characters = countedWith(removed, 'control character', ['was', 'were']);
    const note = removed === 0 ? null : `${characters} left out of the prompt`;
    const delivery = await deliverPrompt(
      this.#parts,
      { text, note, forced: forced && reset === null, resets: false },
      {
        handedOver: (evidence) => this.#observer.handedOver(evidence),
        pasting: (paste) => this.#pasting(paste),
      },
    );
    if (delivery.outcome !== 'confirmed') return undeliveredSigns(delivery);
    this.#observer.confirmed(delivery.evidence);
    return null;
  }

  /** Discards earlier reports: they belong to another submission of the same text. */
  async #pasting(paste: PastedPrompt): Promise<void> {
    await this.#observer.pasting(paste);
    this.#row = null;
    this.#ended = null;
    this.#dropped = false;
  }

  /** @returns why the conversation is not a fresh one; null if it is, and the terminal is ready. */
  async #resetConversation(reset: string, forced: boolean): Promise<string | null> {
    const noted = { pasting: async () => undefined, handedOver: () => undefined };
    const delivery = await deliverPrompt(
      this.#parts,
      { text: reset, note: null, forced, resets: true },
      noted,
    );
    if (delivery.outcome !== 'confirmed') return `${reset} was not taken: ${delivery.detail}.`;
    const { clock, report } = this.#parts;
    const deadline = clock.monotonic() + resetMilliseconds;
    for (;;) {
      await nextSign(this.#parts);
      const { state } = await checkTerminal(this.#parts);
      const { reasons } = promptReadiness(state, report.reportedState, clock.monotonic());
      if (reasons.length === 0) return null;
      if (clock.monotonic() >= deadline)
        return `${reset} was sent, and the TUI is not submit-ready ${resetMilliseconds / 1000} s later (${reasons.join(', ')}).`;
    }
  }

  /** Finds out whether a prompt that another gateway was typing was taken. */
  async #recover({ delivered, pasted }: TurnToAdopt): Promise<TurnSigns | null> {
    if (delivered) return null;
    if (pasted === null)
      return restarted('before the prompt was pasted; nothing of it was typed', 'not_taken');
    const removal = await removeStranded(this.#parts, pasted.text, () => this.#row !== null);
    if (this.#row !== null) {
      this.#observer.confirmed((this.#row as PromptTaken).evidence);
      return null;
    }
    return recoveredSigns(removal, echoesOf(pasted.text, this.#parts.watch.tracker.state) > 0);
  }

  async #follow(): Promise<TurnSigns | null> {
    const { watch, report, clock } = this.#parts;
    let readySince: number | null = null;
    let worked = false;
    const toolPid = watch.tool?.pid ?? null;
    for (;;) {
      if (this.#stopped) return endedByStop(this.#ended, this.#putBack);
      // A gateway that adopts the turn could no longer see that it was interrupted.
      if (this.#left && !this.#stopping) return null;
      if (await this.#removePutBack()) return endedByStop(this.#ended, this.#putBack);
      const { state } = watch.tracker;
      this.#logQuestion();
      const at = clock.monotonic();
      const isReady = promptReadiness(state, report.reportedState, at).reasons.length === 0;
      readySince = isReady ? (readySince ?? at) : null;
      worked ||= isAtWork(this.#parts, watch.tracker);
      const signs = endingOf({
        at,
        readySince,
        ended: this.#ended,
        dropped: this.#dropped,
        lost: lostBecause(
          { state, pane: null, paneId: null, toolPid: watch.tool?.pid ?? null },
          { paneId: null, toolPid },
        ),
        said: report.reportedState?.state ?? null,
        held: this.#isHeld(state),
        named: this.#row !== null && !this.#row.pending,
        worked,
        command: this.#text.startsWith('/'),
        screen: state.lastTurn,
      });
      if (signs !== null) return signs;
      await nextSign(this.#parts, followMilliseconds);
    }
  }

  /**
   * Removes the prompt from the composer if the agent put it there after an Escape of a gateway that has died since: no other
   * process removes it.
   * @returns whether it was there.
   */
  async #removePutBack(): Promise<boolean> {
    const order = this.#order;
    if (order.kind !== 'adopt' || !order.turn.stopping || this.#ended !== null) return false;
    const { tracker } = this.#parts.watch;
    const isShown = tracker.signals !== null && composerContent(tracker.signals, this.#text) === 'ours';
    if (!isShown || isAtWork(this.#parts, tracker)) return false;
    const removal = await removeStranded(this.#parts, this.#text, () => this.#ended !== null);
    this.#putBack = removal === 'stands';
    return removal !== 'absent';
  }

  /** Decides whether hooks may still hold the prompt back. A command may be accepted and never appear in the conversation. */
  #isHeld(state: TerminalState): boolean {
    const accepted = this.#row?.pending === true && this.#parts.report.hooked;
    return accepted && !this.#text.startsWith('/') && echoesOf(this.#text, state) === 0;
  }

  #hear(fact: SelfReportFact): void {
    const { tool } = this.#parts;
    if (tool === null) return;
    if (
      fact.kind === 'prompt_taken' &&
      (this.#row === null || this.#row.pending) &&
      isSamePrompt(tool, this.#text, fact.text)
    )
      this.#row = fact;
    else if (
      fact.kind === 'prompt_dropped' &&
      this.#row?.pending &&
      isSamePrompt(tool, this.#text, fact.text)
    )
      this.#dropped = true;
    else if (fact.kind === 'utterance' && this.#row && !this.#row.pending) this.#log.said(fact);
    else if (fact.kind === 'turn_ended' && this.#row && !this.#row.pending && isOf(fact, this.#row)) {
      this.#ended = fact;
      this.#log.ends(fact);
    }
  }
}

/** Decides whether an end belongs to the turn that a prompt began. A field that is missing in one of them does not count. */
const isOf = (ended: TurnEnded, row: PromptTaken): boolean =>
  (ended.conversation === null || row.conversation === null || ended.conversation === row.conversation) &&
  (ended.turn === null || row.turn === null || ended.turn === row.turn);
