import { type Command, InvalidArgumentError, Option } from 'commander';
import { usualLogKeeping } from '../foundation/set-aside.js';
import { byteWords, type KeepingChange, keepingTexts, type SessionKeeping } from './keeping.js';

/** How long requests and logs are kept, as a command line says it. */
export interface KeepingOptions {
  retainDays?: number | 'never';
  logSize?: number;
  logFiles?: number;
  logDays?: number;
}

const reading = (setting: keyof SessionKeeping) => (text: string) => {
  const read = keepingTexts[setting](text);
  if ('trouble' in read) throw new InvalidArgumentError(read.trouble);
  // commander takes null for a value that is missing.
  return read.value ?? 'never';
};

const { maxBytes, files, days } = usualLogKeeping;
/** The flags with their settings: flag, its value, words, and the default. */
const flags = [
  ['retain_days', '--retain-days <days>', 'delete finished requests after this many days', 'never'],
  [
    'log_bytes',
    '--log-size <size>',
    'set gateway.log and events.jsonl aside at this size',
    byteWords(maxBytes),
  ],
  ['log_days', '--log-days <days>', 'set them aside when their first line is this old', `${days}`],
  ['log_files', '--log-files <number>', 'files aside that stay, of each', `${files}`],
] as const;

/** Adds the flags of {@link KeepingOptions}. @param defaultWords returns what the help says of the default. */
export function addKeepingOptions(command: Command, defaultWords: (usual: string) => string): Command {
  for (const [setting, flag, words, usual] of flags)
    command.addOption(new Option(flag, `${words} (${defaultWords(usual)})`).argParser(reading(setting)));
  return command;
}

const properties = ['retainDays', 'logSize', 'logFiles', 'logDays'] as const;

/** Pure: returns those of several flags that were given, and no others. */
export const givenKeeping = (flags: KeepingOptions): KeepingOptions =>
  Object.fromEntries(
    properties.flatMap((property) => (flags[property] === undefined ? [] : [[property, flags[property]]])),
  );

/** Pure: returns the settings that were given. */
export const keepingOf = ({ retainDays, logSize, logFiles, logDays }: KeepingOptions): KeepingChange => ({
  ...(retainDays === undefined ? {} : { retain_days: retainDays === 'never' ? null : retainDays }),
  ...(logSize === undefined ? {} : { log_bytes: logSize }),
  ...(logFiles === undefined ? {} : { log_files: logFiles }),
  ...(logDays === undefined ? {} : { log_days: logDays }),
});

const flagOf = {
  retain_days: '--retain-days',
  log_bytes: '--log-size',
  log_files: '--log-files',
  log_days: '--log-days',
};

/** Pure: returns the settings with the words of a command line and the value of each. */
export const keepingFlags = (
  keeping: KeepingChange,
): [keyof SessionKeeping, [string, string], number | null][] =>
  (Object.entries(keeping) as [keyof SessionKeeping, number | null][]).map(([setting, value]) => [
    setting,
    [flagOf[setting], value === null ? 'never' : setting === 'log_bytes' ? byteWords(value) : String(value)],
    value,
  ]);
