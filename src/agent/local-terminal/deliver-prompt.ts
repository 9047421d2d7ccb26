import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../foundation/make-folder.js';
import type { TurnObserver } from '../../run/running-turn.js';
import type { Pane } from '../../terminal/pane.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import { isSamePrompt, textToPaste } from '../../tools/pasted-prompt.js';
import type { PromptTaken, SelfReportFact } from '../../tools/self-report/self-report.js';
import {
  clearComposer,
  composerContent,
  rowsToClear,
  type TypingObstacle,
  typingObstacle,
} from './prompt-readiness.js';
import { removeWhileTyping } from './stranded-prompt.js';
import { decide, justPasted, type TypedPrompt } from './submission.js';
import {
  checkTerminal,
  deliveryCheck,
  echoesOf,
  nextSign,
  type OnItsWay,
  type TerminalCheck,
  type TerminalParts,
} from './terminal-check.js';

/** A prompt to type. */
export interface PromptToType {
  /** Without control characters. */
  text: string;
  /** Added to the evidence if the text differs from what the caller sent. */
  note: string | null;
  /** Whether it is typed although the agent is at work. It is never typed into a dialog or a person's draft. */
  forced: boolean;
  /** The prompt makes the conversation a fresh one: a new conversation shows that it was taken. */
  resets: boolean;
}

/** The result of a delivery. */
export type Delivery =
  | { outcome: 'confirmed'; evidence: string }
  /** The outcome is unknown. */
  | { outcome: 'unconfirmed'; detail: string }
  /** No part of the prompt was taken. @property stranded it may still be in the composer, or appear there later. */
  | { outcome: 'failed'; detail: string; stranded: boolean };

/** The time limit for a terminal that was ready a moment ago to be ready again. */
const readyMilliseconds = 2000;
/**
 * The time limit for a screen that only redraws: after a change of its size, Gemini CLI redraws a long conversation for seconds.
 */
const redrawMilliseconds = 10_000;

/** Called at the steps of a delivery. */
export type DeliverySteps = Pick<TurnObserver, 'pasting' | 'handedOver'>;

/**
 * Pastes a prompt into a terminal, presses Enter and finds out whether the agent took it (docs/decisions.md#submission).
 * @throws the fault that keeps the paste from being recorded on disk; then nothing was typed.
 */
export function deliverPrompt(
  parts: TerminalParts,
  prompt: PromptToType,
  steps: DeliverySteps,
): Promise<Delivery> {
  return parts.typing.run(() => deliver(parts, prompt, steps));
}

async function deliver(parts: TerminalParts, prompt: PromptToType, steps: DeliverySteps): Promise<Delivery> {
  const begun = parts.clock.monotonic();
  const { obstacle } = await untilTypeable(parts, prompt, begun);
  if (obstacle !== null) return { outcome: 'failed', detail: obstacle.detail, stranded: false };
  const heard = new Heard(parts, prompt);
  try {
    const delivery = await pasteAndFollow(parts, prompt, steps, heard, begun);
    return await withoutRest(parts, prompt, delivery, heard);
  } finally {
    heard.close();
  }
}

/** Removes text from the composer that may still appear there: the next paste would be joined to it. */
async function withoutRest(
  parts: TerminalParts,
  prompt: PromptToType,
  delivery: Delivery,
  heard: Heard,
): Promise<Delivery> {
  const mayStand = delivery.outcome === 'failed' ? delivery.stranded : delivery.outcome === 'unconfirmed';
  if (!mayStand) return delivery;
  const isOver = () => heard.evidence !== null || parts.watch.tool === null;
  const removal = await removeWhileTyping(parts, prompt.text, isOver);
  // The Enter was only slow: the prompt was taken after all.
  if (heard.evidence !== null)
    return { outcome: 'confirmed', evidence: withNote(heard.evidence, prompt.note) };
  return removal === 'removed' && delivery.outcome === 'failed' ? { ...delivery, stranded: false } : delivery;
}

async function pasteAndFollow(
  parts: TerminalParts,
  prompt: PromptToType,
  steps: DeliverySteps,
  heard: Heard,
  begun: number,
): Promise<Delivery> {
  const { watch, report } = parts;
  let pane: Pane;
  let checked: TerminalCheck;
  const buffer = `houmao-${randomBytes(8).toString('hex')}`;
  try {
    pane = await watch.pane();
    if (watch.status?.inMode) await pane.leaveMode();
    const heardUntil = await report.mark();
    heard.begin();
    await steps.pasting({ paneId: pane.id, text: prompt.text, heardUntil });
    await load(parts, pane, buffer, textToPaste(parts.tool, prompt.text));
    // Checks once more, so that there is hardly any time between the check and the paste.
    const last = await untilTypeable(parts, prompt, begun);
    checked = last.checked;
    const closed = last.obstacle?.detail ?? (checked.paneId === pane.id ? null : 'its pane is gone');
    if (closed !== null) {
      await pane.forget(buffer);
      return { outcome: 'failed', detail: closed, stranded: false };
    }
    if (!(await pane.paste(buffer)))
      return {
        outcome: 'failed',
        detail: 'the pane is dead, or somebody is scrolling in it',
        stranded: false,
      };
  } catch (error) {
    if (!(error instanceof TmuxFault)) throw error;
    // Only the paste itself may have reached the pane before the fault, and no Enter follows.
    return { outcome: 'failed', detail: error.message, stranded: true };
  }
  const onItsWay = {
    text: prompt.text,
    paneId: pane.id,
    toolPid: checked.toolPid,
    echoesBefore: echoesOf(prompt.text, checked.state),
  };
  return follow(parts, prompt, steps, heard, onItsWay);
}

async function follow(
  parts: TerminalParts,
  prompt: PromptToType,
  steps: DeliverySteps,
  heard: Heard,
  onItsWay: OnItsWay,
): Promise<Delivery> {
  const { clock, patience, watch } = parts;
  let submission: TypedPrompt = justPasted(clock.monotonic());
  for (;;) {
    const settles = submission.since + patience.settle - clock.monotonic();
    await (settles > 0 ? nextSign(parts, settles) : nextSign(parts));
    const checked = await checkTerminal(parts);
    const check = deliveryCheck(
      checked,
      { ...onItsWay, cleared: submission.cleared },
      clock.monotonic(),
      heard.said,
    );
    const decision = decide(submission, check, patience);
    ({ submission } = decision);
    const { next } = decision;
    if (next.do === 'end') {
      // The agent's own report is more reliable than its screen, and may be in its file already.
      await parts.report.mark();
      if (heard.evidence !== null)
        return { outcome: 'confirmed', evidence: withNote(heard.evidence, prompt.note) };
      if (next.delivery === 'failed')
        return { outcome: 'failed', detail: next.evidence, stranded: next.stranded };
      if (next.delivery === 'unconfirmed') return { outcome: 'unconfirmed', detail: next.evidence };
      return { outcome: 'confirmed', evidence: withNote(next.evidence, prompt.note) };
    }
    if (next.do === 'press_enter') {
      await onPane(watch, onItsWay.paneId, (pane) => pane.type([{ key: 'Enter' }]));
      watch.tracker.notePrompt(prompt.text);
      steps.handedOver(`pasted into pane ${onItsWay.paneId} and Enter pressed`);
    } else if (next.do === 'leave_mode') {
      await onPane(watch, onItsWay.paneId, (pane) => pane.leaveMode());
    } else if (next.do === 'clear') {
      const rows = checked.signals ? rowsToClear(checked.signals, prompt.text) : 1;
      await onPane(watch, onItsWay.paneId, (pane) => clearComposer(pane, rows));
    }
  }
}

/** Types into the pane. A refusal of tmux shows in the next check: the terminal is lost, or nothing has changed on it. */
async function onPane(
  watch: TerminalParts['watch'],
  paneId: string,
  type: (pane: Pane) => Promise<void>,
): Promise<void> {
  try {
    const pane = await watch.pane();
    if (pane.id === paneId) await type(pane);
  } catch (error) {
    if (!(error instanceof TmuxFault)) throw error;
  }
}

/** Loads the text into tmux from a file: on a command line it would be cut, and every user could read it. */
async function load({ folder }: TerminalParts, pane: Pane, buffer: string, text: string): Promise<void> {
  const file = join(folder, buffer);
  makeFolder(folder, 0o700);
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    await pane.load(buffer, file);
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * @param begun the start of the delivery: all its checks share one time limit.
 * @returns the last check, and why the prompt cannot be typed even then; null if it can.
 */
async function untilTypeable(
  parts: TerminalParts,
  prompt: PromptToType,
  begun: number,
): Promise<{ checked: TerminalCheck; obstacle: TypingObstacle | null }> {
  const { clock, report } = parts;
  for (;;) {
    const checked = await checkTerminal(parts);
    const now = clock.monotonic();
    const obstacle = typingObstacle(prompt, checked, report.reportedState, now);
    const patience = obstacle?.redraws ? redrawMilliseconds : readyMilliseconds;
    if (obstacle === null || now - begun >= patience) return { checked, obstacle };
    await nextSign(parts);
  }
}

const withNote = (evidence: string, note: string | null): string =>
  note === null ? evidence : `${evidence}; ${note}`;

/** How soon the row in the conversation follows the row of an accepted prompt, unless the prompt waits in a queue of the tool. */
const betterMilliseconds = 250;

/** Listens for the row in which the agent reports that it took exactly this prompt. */
class Heard {
  readonly #parts: TerminalParts;
  readonly #prompt: PromptToType;
  readonly #stop: () => void;
  #begun = false;
  #fact: PromptTaken | null = null;
  #evidence: string | null = null;
  #refused = false;
  #heardAt = 0;

  constructor(parts: TerminalParts, prompt: PromptToType) {
    this.#parts = parts;
    this.#prompt = prompt;
    this.#stop = parts.report.listen(null, (fact) => this.#hear(fact));
  }

  /** Begins to listen: earlier rows belong to earlier prompts. */
  begin(): void {
    this.#begun = true;
  }

  /** Names the row; null while there is none. */
  get evidence(): string | null {
    const better = this.#fact?.pending && this.#parts.clock.monotonic() - this.#heardAt < betterMilliseconds;
    if (better) return null;
    if (this.#fact?.refusable && this.#standsThere()) this.#forget();
    return this.#evidence;
  }

  get said(): { taken: string | null; refused: boolean } {
    return { taken: this.evidence, refused: this.#refused };
  }

  close(): void {
    this.#stop();
  }

  /** Drops the row: the prompt was refused after all, or the screen is late and a more reliable sign will come. */
  #forget(): void {
    this.#fact = null;
    this.#evidence = null;
  }

  #standsThere(): boolean {
    const { signals } = this.#parts.watch.tracker;
    return signals !== null && composerContent(signals, this.#prompt.text) === 'ours';
  }

  #hear(fact: SelfReportFact): void {
    const { tool } = this.#parts;
    if (!this.#begun || tool === null) return;
    if (this.#prompt.resets && fact.kind === 'conversation') this.#evidence ??= fact.evidence;
    const isPrompt = fact.kind === 'prompt_taken' || fact.kind === 'prompt_dropped';
    if (!isPrompt || !isSamePrompt(tool, this.#prompt.text, fact.text)) return;
    // A prompt in the tool's queue was accepted; its row in the conversation is better evidence.
    if (this.#fact && !this.#fact.pending) return;
    if (fact.kind === 'prompt_dropped') {
      this.#forget();
      this.#refused = true;
      return;
    }
    this.#refused = false;
    this.#fact = fact;
    this.#heardAt = this.#parts.clock.monotonic();
    this.#evidence = fact.pending
      ? `${fact.evidence}, accepted and not yet in the conversation`
      : fact.evidence;
  }
}
