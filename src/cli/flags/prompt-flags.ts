import { quoted } from '../words/program-name.js';
import type { ServerFlag } from './server-flag.js';
import type { WaitingFlags } from './waiting-flags.js';

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
