import { type Command, InvalidArgumentError } from 'commander';
import { readPort } from '../../foundation/fetch-ports.js';
import { isIsoInstant } from '../../foundation/iso-instant.js';
import { parseKeySequence, UnsendableKeys } from '../../terminal/key-sequence.js';

/** Reads a whole number in a range, as an option's value. */
export function toInteger(minimum: number, maximum: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < minimum || number > maximum)
      throw new InvalidArgumentError(`It must be a whole number, ${rangeOf(minimum, maximum)}.`);
    return number;
  };
}

const rangeOf = (minimum: number, maximum: number): string =>
  maximum === Number.MAX_SAFE_INTEGER ? `at least ${minimum}` : `from ${minimum} to ${maximum}`;

/** Reads a port to listen on; 0 means any. */
export function toPort(text: string): number {
  const read = readPort(text);
  if ('trouble' in read) throw new InvalidArgumentError(read.trouble);
  return read.port;
}

/** Reads a moment as an option's value, as the contract takes it. */
export function toMoment(text: string): string {
  if (isIsoInstant(text)) return text;
  throw new InvalidArgumentError(
    'It must be an ISO 8601 date, or date and time: 2026-03-13 or 2026-03-13T09:00:00Z.',
  );
}

export function toText(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be blank.');
  return value;
}

/** Gathers the values of an option that may be given several times, none of them blank. */
export const collectTexts = (value: string, all: string[] | undefined): string[] => [
  ...(all ?? []),
  toText(value),
];

/** Texts of which an empty one says something. */
const mayBeEmpty: ReadonlySet<string> = new Set(['--role', '--body-content', '--appendix-text']);

/** Options of a program that take any text take no blank one: an empty path would be the current folder. */
export function refuseBlankTexts(command: Command): void {
  for (const option of command.options)
    if ((option.required || option.optional) && !option.parseArg && !mayBeEmpty.has(option.long ?? ''))
      option.argParser(toText);
  for (const below of command.commands) refuseBlankTexts(below);
}

/** Why keys cannot be typed; null where they can. @param literal the whole sequence is text */
export function keysTrouble(sequence: string, literal: boolean): string | null {
  if (sequence === '') return 'The sequence of keys is empty.';
  try {
    parseKeySequence(sequence, { literal });
    return null;
  } catch (error) {
    if (error instanceof UnsendableKeys) return error.message;
    throw error;
  }
}

/** Reads keys as an option's value. */
export function toKeys(sequence: string): string {
  const trouble = keysTrouble(sequence, false);
  if (trouble !== null) throw new InvalidArgumentError(trouble);
  return sequence;
}
