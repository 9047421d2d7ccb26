import { type Command, Option } from 'commander';
import { labelsIn } from '../../contract/prompt-metadata.js';
import { quoted } from '../words/terminal-output.js';
import { type ServerFlag, toSeconds } from './options.js';

/** The flags of `agents prompt`. */
export interface PromptFlags extends ServerFlag, WaitingFlags {
  file?: string;
  model?: string;
  reasoning?: number;
  new?: boolean;
  idempotencyKey?: string;
  /** Labels, each as `key=value`. */
  metadata?: string[];
  /** Until when another host may take it. */
  deadline?: Date;
  /** False to return as soon as the prompt is accepted. */
  wait: boolean;
}

/** Returns the choice of a model, in the form that both surfaces take with a prompt. */
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

/** Returns the key and the labels of a prompt, in the form that both surfaces take. */
export const keyAndLabelsOf = ({ idempotencyKey, metadata }: PromptFlags) => ({
  idempotencyKey,
  metadata: metadata && Object.fromEntries(labelsIn(metadata)),
});

/** The longest prompt that is repeated: a text that fills the screen hides the output before it. */
const longestAgain = 1000;

/** Returns the options and the text of a prompt again, quoted for a shell. @param text as it was read, from any source */
export function againWords(
  { file, model, reasoning, new: startsNew, metadata = [], deadline }: PromptFlags,
  text: string,
): string {
  const words = [
    ...(model === undefined ? [] : ['--model', model]),
    ...(reasoning === undefined ? [] : ['--reasoning', String(reasoning)]),
    ...(startsNew ? ['--new'] : []),
    ...metadata.flatMap((label) => ['--metadata', label]),
    ...(deadline === undefined ? [] : ['--deadline', deadline.toISOString()]),
    ...(file === undefined || file === '-' ? [] : ['--file', file]),
  ].map(quoted);
  if (file !== undefined && file !== '-') return words.join(' ');
  const isShort = text.length <= longestAgain;
  return [...words, isShort ? `-- ${quoted(text)}` : '--file <a file with the same text>'].join(' ');
}

/** The limits of waiting for the end of work, in seconds. */
export interface WaitingFlags {
  timeout?: number;
  silenceLimit: number;
}

/** Timers of Node last at most 24.8 days. */
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

/** Returns the limits in the form of the SDK. */
export const limitsOf = ({ timeout, silenceLimit }: WaitingFlags) => ({
  timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  silenceMs: silenceLimit * 1000,
});
