import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { textFrom } from '../flags/given-file.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { quoted } from '../words/program-name.js';
import type { Output } from '../words/terminal-output.js';

/** What an operator gave as the text of a prompt. */
export interface GivenPrompt {
  readonly name: string;
  /** The words behind the name: one where the text was quoted. `-` is standard input. */
  readonly words: readonly string[];
  /** Of `--file`; `-` is standard input. */
  readonly file: string | undefined;
}

/** The text of a prompt. @throws {CommandFailure} when there is none, or more than one. */
export async function promptText(given: GivenPrompt, signal: AbortSignal, output: Output): Promise<string> {
  const prompt = await textOf(given, signal, output);
  if (prompt.trim() === '') throw new CommandFailure('The prompt is empty.', exitCodes.usage);
  return prompt;
}

async function textOf(given: GivenPrompt, signal: AbortSignal, output: Output): Promise<string> {
  const { words, file } = given;
  const [word] = words;
  if (file === undefined && word !== undefined && word !== '-' && words.length === 1) return word;
  if (words.length > 0 && file !== undefined)
    throw new CommandFailure('Give the prompt once: as text, or with --file.', exitCodes.usage);
  if (words.length > 1 || (word ?? file) === undefined) throw notOne(given);
  return (word ?? file) === '-' ? standardInput(signal, output) : textFrom('--file', file ?? '');
}

function notOne({ name, words }: GivenPrompt): CommandFailure {
  const prompt = `houmao-mgr agents prompt ${quoted(name)}`;
  return words.length === 0
    ? new CommandFailure('A prompt is missing.', exitCodes.usage, {
        hint: `Give it: ${prompt} "Hello", or from a file: --file <path>. See houmao-mgr agents prompt --help`,
        remedies: [
          ['give it', `${prompt} "Hello"`],
          ['more', 'houmao-mgr agents prompt --help'],
        ],
      })
    : new CommandFailure(`The prompt came as ${words.length} words.`, exitCodes.usage, {
        remedies: [['put it in quotes', `${prompt} ${quoted(words.join(' '))}`]],
      });
}

async function standardInput(signal: AbortSignal, output: Output): Promise<string> {
  output.progress('Reading the prompt from standard input');
  try {
    return await text(addAbortSignal(signal, process.stdin));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure('Stopped. Nothing was queued.', exitCodes.stopped);
  }
}
