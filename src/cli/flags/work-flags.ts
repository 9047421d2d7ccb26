import { type Command, Option } from 'commander';
import { quoted } from '../words/terminal-output.js';
import { type ServerFlag, toSeconds } from './options.js';

/** Those of `agents prompt`. */
export interface PromptFlags extends ServerFlag, WaitingFlags {
  file?: string;
  model?: string;
  reasoning?: number;
  new?: boolean;
  idempotencyKey?: string;
  /** False: come back as soon as it is taken. */
  wait: boolean;
}

/** The choice of a model, as both surfaces take it with a prompt. */
export function executionOf(flags: PromptFlags) {
  if (flags.model === undefined && flags.reasoning === undefined) return {};
  return {
    execution: {
      model: {
        ...(flags.model === undefined ? {} : { name: flags.model }),
        ...(flags.reasoning === undefined ? {} : { reasoning: { level: flags.reasoning } }),
      },
    },
  };
}

/** A text that fills the screen hides what was said before. */
const longestAgain = 1000;

/** The options and the text of a prompt once more, as a shell takes them. @param text as it was read, wherever it came from */
export function againWords({ file, model, reasoning, new: anew }: PromptFlags, text: string): string {
  const words = [
    ...(model === undefined ? [] : ['--model', model]),
    ...(reasoning === undefined ? [] : ['--reasoning', String(reasoning)]),
    ...(anew ? ['--new'] : []),
    ...(file === undefined || file === '-' ? [] : ['--file', file]),
  ].map(quoted);
  if (file !== undefined && file !== '-') return words.join(' ');
  const isShort = text.length <= longestAgain;
  return [...words, isShort ? `-- ${quoted(text)}` : '--file <a file with the same text>'].join(' ');
}

/** How long a command waits for the end of work; in seconds. */
export interface WaitingFlags {
  timeout?: number;
  silenceLimit: number;
}

/** Timers of Node end at 24.8 days. */
const longestWait = 23 * 86_400;

export const addWaitingFlags = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--timeout <duration>',
        'stop waiting after this long, such as 5m (default: never)',
      ).argParser(toSeconds({ minimum: 1, maximum: longestWait })),
    )
    .addOption(
      new Option(
        '--silence-limit <duration>',
        'stop waiting when gateway or server have not answered for this long',
      )
        .argParser(toSeconds({ minimum: 1, maximum: longestWait }))
        .default(60, '60s'),
    );

/** The same for the SDK. */
export const limitsOf = ({ timeout, silenceLimit }: WaitingFlags) => ({
  timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  silenceMs: silenceLimit * 1000,
});
