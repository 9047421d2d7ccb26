import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isLabel } from '../../contract/prompt-metadata.js';
import { isIsoInstant } from '../../foundation/clock.js';
import { belowHome } from '../../foundation/environment.js';
import { readPort } from '../../foundation/fetch-ports.js';
import { fleetUrlRule, fleetUrls } from '../../foundation/host-name.js';
import { listed } from '../../foundation/text.js';
import { parseKeySequence, UnsendableKeys } from '../../terminal/terminal-input.js';
import { serverUrl } from '../config/config-file.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';

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

/** Reads a port to listen on; 0 means any free one. */
export function toPort(text: string): number {
  const read = readPort(text);
  if ('trouble' in read) throw new InvalidArgumentError(read.trouble);
  return read.port;
}

/** Checks the addresses of NATS servers. */
export function toFleetUrls(text: string): string {
  if (fleetUrls(text) !== null) return text;
  throw new InvalidArgumentError(`It ${fleetUrlRule}.`);
}

/** Reads a moment, as an option's value, in the format of the contract. */
export function toMoment(text: string): string {
  if (isIsoInstant(text)) return text;
  throw new InvalidArgumentError(
    'It must be an ISO 8601 date, or date and time: 2026-03-13 or 2026-03-13T09:00:00Z.',
  );
}

/** The flag of a command that can be done for every agent of this host. */
export interface AllFlag {
  all?: boolean;
}

export const allOption = (): Option => new Option('--all', 'do it for every agent of this host');

export function toText(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be blank.');
  return value;
}

/** Collects the values of an option that may be given several times, none of them blank. */
export const collectTexts = (value: string, all: string[] | undefined): string[] => [
  ...(all ?? []),
  toText(value),
];

/** Collects labels of prompts, as an option's value. */
export function collectLabels(text: string, all: string[] | undefined): string[] {
  if (!isLabel(text))
    throw new InvalidArgumentError(
      'It must be key=value, such as ticket=HOU-1, with a key of 1 to 64 letters, digits, dots, - and _.',
    );
  const key = text.slice(0, text.indexOf('=') + 1);
  if (all?.some((other) => other.startsWith(key)))
    throw new InvalidArgumentError(`${key.slice(0, -1)} is given twice.`);
  return [...(all ?? []), text];
}

/** Options for which an empty text has a meaning. */
const emptyAllowed: ReadonlySet<string> = new Set(['--role', '--body-content', '--appendix-text']);

/** The arguments that name agents. */
const agentArguments: ReadonlySet<string> = new Set(['name', 'names', 'agent']);

/**
 * Makes all options that take any text refuse a blank one, since an empty path would mean the current folder, and all arguments that
 * name agents a blank name.
 * @param agents their names; called only when a name is blank.
 */
export function refuseBlankTexts(command: Command, agents: () => readonly string[]): void {
  for (const option of command.options)
    if ((option.required || option.optional) && !option.parseArg && !emptyAllowed.has(option.long ?? ''))
      option.argParser(toText);
  for (const argument of command.registeredArguments)
    if (agentArguments.has(argument.name()))
      argument.argParser((name: string, before: unknown): unknown => {
        // With --all, the first word of `agents prompt` is no name.
        if (name.trim() === '' && command.getOptionValue('all') !== true) throw blankName(agents());
        return argument.variadic ? [...((before as string[] | undefined) ?? []), name] : name;
      });
  for (const below of command.commands) refuseBlankTexts(below, agents);
}

const blankName = (known: readonly string[]): CommandFailure =>
  new CommandFailure('The name of the agent is empty.', exitCodes.usage, {
    hint: known.length === 0 ? null : `Agents: ${listed(known)}`,
  });

/** Returns the reason why keys cannot be typed; null when they can. @param literal the whole sequence is text */
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

export interface JsonFlag {
  json?: boolean;
}

export const jsonOption = (): Option => new Option('--json', 'print one JSON object, for programs');

/** Decides whether the command line asks for JSON, even when it cannot be parsed otherwise. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

export interface ServerFlag {
  /** The address of a managed-agent server; when left out, the servers of this host are asked if one is needed. */
  server?: string;
  /** Its token, where a context names one; without it, the one that the SDK finds. */
  serverToken?: string;
}

/** `--server`. */
export class ServerOption extends Option {
  /** The properties of the flags that work only on this machine. */
  readonly hereOnly: readonly string[];

  constructor(hereOnly: readonly string[]) {
    super('--server <url>', 'use the managed-agent server at this URL');
    this.argParser(toServerUrl).conflicts([...hereOnly]);
    this.hereOnly = hereOnly;
  }
}

/** @param hereOnly the properties of the flags that cannot stand beside it */
export const serverOption = (hereOnly: readonly string[] = []): Option => new ServerOption(hereOnly);

/** Returns the flag that leads back to the same server; an empty text when none was named. */
export const serverFlagWords = ({ server }: ServerFlag): string =>
  server === undefined ? '' : ` --server ${server}`;

function toServerUrl(text: string): string {
  const url = serverUrl(text);
  if (url === null) throw new InvalidArgumentError('It must be a URL such as http://127.0.0.1:9889.');
  return url;
}

const secondsOf = { d: 86_400, h: 3600, m: 60, s: 1 } as const;
type Unit = keyof typeof secondsOf;
const units = Object.keys(secondsOf) as Unit[];

/** Parses a duration into seconds: `90s`, `5m`, `2h`, `1d`, `1h30m`, or a plain number of seconds; null for anything else. */
export function parseDuration(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (!parts || text === '') return null;
  return units.reduce((sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * secondsOf[unit], 0);
}

/** Prints seconds as {@link parseDuration} reads them: `1h30m`. */
export function durationWords(seconds: number): string {
  if (!Number.isInteger(seconds)) return `${seconds}`;
  let rest = seconds;
  const parts = units.map((unit) => {
    const count = Math.floor(rest / secondsOf[unit]);
    rest -= count * secondsOf[unit];
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('') || '0s';
}

/** The durations that an option takes, in seconds. */
interface DurationRange {
  readonly minimum?: number;
  readonly maximum?: number;
  /** Whether parts of a second are allowed. */
  readonly fractions?: boolean;
}

/** Reads a duration as an option's value, in seconds. */
export function toSeconds({ minimum = 0, maximum, fractions = false }: DurationRange) {
  const limits = maximum === undefined ? `at least ${durationWords(minimum)}` : between(minimum, maximum);
  return (text: string): number => {
    const seconds = parseDuration(text.trim());
    const allowed =
      seconds !== null &&
      seconds >= minimum &&
      seconds <= (maximum ?? Number.MAX_SAFE_INTEGER) &&
      (fractions || Number.isInteger(seconds));
    if (!allowed)
      throw new InvalidArgumentError(
        `It must be a duration, ${limits}: 90s, 5m, 2h, 1h30m, or a ${fractions ? '' : 'whole '}number of seconds such as 300.`,
      );
    return seconds;
  };
}

/** A deadline that an option names; a duration counts from the moment that is given. */
export type DeadlineFlag = (now: Date) => Date;

/** Reads a deadline as an option's value: a duration from now, or a date and time. */
export function toDeadline(text: string): DeadlineFlag {
  const given = text.trim();
  const seconds = parseDuration(given);
  if (seconds !== null && seconds > 0) return (now) => new Date(now.getTime() + seconds * 1000);
  if (!isIsoInstant(given))
    throw new InvalidArgumentError(
      'It must be a duration from now, such as 90s, 5m or 2h, or a date and time such as 2026-03-13T12:00:00Z.',
    );
  return () => new Date(given);
}

const between = (minimum: number, maximum: number): string =>
  `from ${durationWords(minimum)} to ${durationWords(maximum)}`;

/** Reads the text of a file that an option names. @throws {CommandFailure} when it cannot be read, or is no text. */
export const textFrom = (flag: string, path: string): string =>
  decoded(readGiven(flag, path), `${flag} ${path}`);

export const withHome = (path: string): string => belowHome(path, homedir());

function readGiven(flag: string, path: string): Buffer {
  try {
    return readFileSync(withHome(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new CommandFailure(`${flag} ${path} ${why}.`, exitCodes.usage);
  }
}

/** @param from the source of the bytes, as the user named it. */
function decoded(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`${from} is not UTF-8 text.`, exitCodes.usage);
  }
}
