/** The parsed command line, with Claude Code's flags. */
export interface StandinOptions {
  print: boolean;
  outputFormat: OutputFormat;
  verbose: boolean;
  /** `--resume` with its id; '' if the id is missing. */
  resume: string | null;
  continueLatest: boolean;
  sessionId: string | null;
  role: string | null;
  model: string | null;
  effort: string | null;
  /** Settings as JSON, or the path of a file with them. */
  settings: string | null;
  skipPermissions: boolean;
  partialMessages: boolean;
  version: boolean;
  help: boolean;
  /** The prompt as an argument; null if it comes by stdin. */
  prompt: string | null;
}

export type OutputFormat = 'text' | 'json' | 'stream-json';

export type ParsedArguments = { ok: true; options: StandinOptions } | { ok: false; message: string };

type SwitchKey = {
  [K in keyof StandinOptions]: StandinOptions[K] extends boolean ? K : never;
}[keyof StandinOptions];

const switches: ReadonlyMap<string, SwitchKey> = new Map([
  ['-p', 'print'],
  ['--print', 'print'],
  ['--verbose', 'verbose'],
  ['-c', 'continueLatest'],
  ['--continue', 'continueLatest'],
  ['--dangerously-skip-permissions', 'skipPermissions'],
  ['--include-partial-messages', 'partialMessages'],
  ['-v', 'version'],
  ['--version', 'version'],
  ['-h', 'help'],
  ['--help', 'help'],
]);

type ValueKey = 'outputFormat' | 'effort' | 'sessionId' | 'role' | 'model' | 'settings';

const valueOptions: ReadonlyMap<string, { key: ValueKey; choices: readonly string[] | null }> = new Map([
  ['--output-format', { key: 'outputFormat', choices: ['text', 'json', 'stream-json'] }],
  ['--effort', { key: 'effort', choices: ['low', 'medium', 'high', 'xhigh', 'max'] }],
  ['--session-id', { key: 'sessionId', choices: null }],
  ['--append-system-prompt', { key: 'role', choices: null }],
  ['--model', { key: 'model', choices: null }],
  ['--settings', { key: 'settings', choices: null }],
]);

export function parseArguments(argv: readonly string[]): ParsedArguments {
  const options: StandinOptions = {
    print: false,
    outputFormat: 'text',
    verbose: false,
    resume: null,
    continueLatest: false,
    sessionId: null,
    role: null,
    model: null,
    effort: null,
    settings: null,
    skipPermissions: false,
    partialMessages: false,
    version: false,
    help: false,
    prompt: null,
  };
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? '';
    if (argument === '--' || !argument.startsWith('-')) {
      const prompts = argument === '--' ? argv.slice(index + 1) : [argument];
      if (prompts.length + (options.prompt === null ? 0 : 1) > 1) {
        return { ok: false, message: 'error: too many arguments. Expected 1 prompt.' };
      }
      options.prompt = prompts[0] ?? options.prompt;
      if (argument === '--') break;
      continue;
    }
    const { name, attached } = splitOption(argument);
    const flipped = attached === null ? switches.get(name) : undefined;
    if (flipped !== undefined) {
      options[flipped] = true;
      continue;
    }
    const next = argv[index + 1];
    if (name === '-r' || name === '--resume') {
      // The value is optional, so a word that begins with a dash is the next option.
      const taken = attached ?? (next === undefined || next.startsWith('-') ? null : next);
      options.resume = taken ?? '';
      if (attached === null && taken !== null) index += 1;
      continue;
    }
    const option = valueOptions.get(name);
    if (option === undefined) return { ok: false, message: `error: unknown option '${argument}'` };
    const value = attached ?? next;
    if (value === undefined)
      return { ok: false, message: `error: option '${name} <value>' argument missing` };
    if (option.choices !== null && !option.choices.includes(value)) {
      const allowed = option.choices.join(', ');
      return {
        ok: false,
        message: `error: option '${name} <value>' argument '${value}' is invalid. Allowed choices are ${allowed}.`,
      };
    }
    Object.assign(options, { [option.key]: value });
    if (attached === null) index += 1;
  }
  return { ok: true, options };
}

function splitOption(argument: string): { name: string; attached: string | null } {
  const sign = argument.indexOf('=');
  if (!argument.startsWith('--') || sign === -1) return { name: argument, attached: null };
  return { name: argument.slice(0, sign), attached: argument.slice(sign + 1) };
}
