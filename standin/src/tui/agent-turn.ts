import { randomUUID } from 'node:crypto';
import { answerText, tokens } from '../answer.js';
import { apiFailure } from '../api-failures.js';
import { type Directives, readDirectives, type ToolDirective } from '../directives.js';
import { mailRound } from '../mail-round.js';
import type { ApiFailure } from '../rows.js';
import type { Entry, ScreenState } from './screen-state.js';
import type { SessionFiles } from './session-files.js';
import type { Time } from './time.js';
import type { Transcript } from './transcript.js';

// One turn of the agent:
//
//   thinking ──a tool──▶ asking ──allowed──▶ running ──▶ thinking ──its text──▶ speaking ──▶ answered
//   thinking ──the API refuses──▶ failed          asking ──denied──▶ denied
//
// The caller may abort it at any time: it then throws Interrupted, and TurnProgress says how far it came.

/** The turn was aborted. */
export class TurnAborted extends Error {
  override readonly name = 'Interrupted';
}

export type StandinTurnResult = 'answered' | 'failed' | 'denied';

export interface TurnProgress {
  messageId: string;
  /** Whether the agent has shown any output of its own. */
  output: boolean;
  /** The answer so far; null for none. */
  partial: string | null;
}

export interface TurnParts {
  /** The prompt, with its directives. */
  text: string;
  screen: ScreenState;
  transcript: Transcript;
  files: SessionFiles;
  time: Time;
  signal: AbortSignal;
  progress: TurnProgress;
  /** The number of rows that are added to the answer. */
  moreRows: number;
  draw(): void;
  /** Null: the tool needs no permission. Otherwise resolves with the answer, and throws Interrupted. */
  ask: ((tool: ToolDirective) => Promise<boolean>) | null;
  /** Takes the queued prompts into this turn. */
  absorb(): readonly string[];
  /** Ends the program. */
  leave(exitCode: number): Promise<never>;
  /** Ends the program by SIGKILL. */
  crash(): Promise<never>;
}

const thinkingMilliseconds = 40;
const toolMilliseconds = 60;
const retryMilliseconds = 250;

export async function runTurn(parts: TurnParts): Promise<StandinTurnResult> {
  const { directives, text } = readDirectives(parts.text);
  const { numbers, flags, tools } = directives;
  await pause(parts, numbers.slow ?? thinkingMilliseconds);
  if (flags.has('crash')) await parts.crash();
  if (numbers.exit !== undefined) await parts.leave(numbers.exit);
  if (numbers.fail !== undefined) return fail(parts, numbers.fail);
  const absorbed: string[] = [];
  for (const tool of tools) {
    if (!(await useTool(parts, tool))) return 'denied';
    absorbed.push(...parts.absorb());
  }
  await answer(parts, directives, [text, ...absorbed].join(' and: '));
  return 'answered';
}

async function answer(parts: TurnParts, { numbers }: Directives, text: string): Promise<void> {
  const { screen, transcript, progress, moreRows } = parts;
  const rows = Array.from({ length: moreRows }, (_, index) => `\nrow ${index + 1} of a long answer`);
  const mail = await mailRound(text, process.env);
  if (parts.signal.aborted) throw new TurnAborted();
  const whole = `${answerText(text, transcript.prompts, numbers.words ?? 0)}${mail}${rows.join('')}`;
  progress.output = true;
  push(screen, { kind: 'answer', text: '' });
  const pieces = numbers.drip === undefined ? [whole] : (whole.match(/\S+\s*/g) ?? []);
  for (const piece of pieces) {
    progress.partial = `${progress.partial ?? ''}${piece}`;
    replaceLast(screen, { kind: 'answer', text: progress.partial });
    if (screen.working !== null) screen.working.tokens = tokens(progress.partial);
    parts.draw();
    if (numbers.drip !== undefined) await pause(parts, numbers.drip);
  }
  const usage = { input: tokens(parts.text), output: tokens(whole) };
  parts.files.append(transcript.answer(progress.messageId, whole, usage));
}

async function useTool(parts: TurnParts, tool: ToolDirective): Promise<boolean> {
  const { screen, transcript, files, progress } = parts;
  const id = `toolu_standin_${randomUUID().slice(0, 8)}`;
  files.append(transcript.toolCall(tool, id));
  progress.output = true;
  const entry = {
    kind: 'tool',
    name: tool.name,
    title: toolTitle(tool),
    command: toolCommand(tool),
  } as const;
  push(screen, { ...entry, state: 'running' });
  parts.draw();
  if (parts.ask !== null && !(await parts.ask(tool))) {
    replaceLast(screen, { ...entry, state: 'denied' });
    push(screen, { kind: 'interrupted' });
    files.append(transcript.toolDenied(id));
    return false;
  }
  await pause(parts, toolMilliseconds);
  const output = `The stand-in pretends that ${tool.name} ran.`;
  files.append(transcript.toolResult(id, output, parts.ask !== null));
  replaceLast(screen, { ...entry, state: 'done' });
  parts.draw();
  return true;
}

async function fail(parts: TurnParts, status: number): Promise<StandinTurnResult> {
  const { screen, transcript, files } = parts;
  const failure = failureOnScreen(status);
  const attempts = 2;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const retry = { failure: `${status} stand-in ${failure.type}`, attempt, attempts };
    if (screen.working !== null) screen.working.retry = retry;
    parts.draw();
    await pause(parts, retryMilliseconds);
  }
  push(screen, { kind: 'apiError', text: failure.text });
  screen.placeholder =
    status === 401 ? 'Once fixed, resend your message' : 'Resend your message to try again';
  files.append(transcript.apiError(failure));
  return 'failed';
}

/** Returns the failure for the screen, where some errors have another text than without a screen. */
function failureOnScreen(status: number): ApiFailure {
  const failure = apiFailure(status);
  if (status === 401)
    return { ...failure, text: `Please run /login · API Error: 401 stand-in ${failure.type}` };
  if (status === 429)
    return { ...failure, text: `API Error: Request rejected (429) · stand-in ${failure.type}` };
  return status === 529 ? { ...failure, error: 'server_error' } : failure;
}

/** Describes the action of a tool, for people. */
export function toolTitle({ name, input }: ToolDirective): string {
  return typeof input.description === 'string' ? input.description : `Running ${name}`;
}

export function toolCommand({ name, input }: ToolDirective): string {
  return typeof input.command === 'string' ? input.command : `${name}(${JSON.stringify(input)})`;
}

async function pause({ time, signal }: TurnParts, ms: number): Promise<void> {
  await time.sleep(ms, signal);
  if (signal.aborted) throw new TurnAborted();
}

function push(screen: ScreenState, entry: Entry): void {
  screen.entries = [...screen.entries, entry];
}

function replaceLast(screen: ScreenState, entry: Entry): void {
  screen.entries = [...screen.entries.slice(0, -1), entry];
}
