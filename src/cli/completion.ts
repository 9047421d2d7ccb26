import type { Schemas } from '@houmao/sdk';
import { Argument, type Command, type Option } from 'commander';
import { unlessUnusable } from '../foundation/faults.js';
import type { CommandCaller } from './caller.js';
import { askQueue } from './commands/ask-queue.js';
import { agentNames } from './commands/find-agent.js';
import { type Config, here, settingNames, settings } from './config/config-file.js';

type RequestRecord = Schemas['RequestRecord'];

/** A possible completion of a word. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** The names and ids that there are. Each is called only where one is expected, and never fails. */
export interface KnownNames {
  agents(): readonly string[];
  /** The requests in the queue of an agent, the latest first. @param states only those in one of them. */
  requests(agent: string, states: readonly string[] | null): Promise<readonly Candidate[]>;
  /** The turns of those requests. */
  turns(agent: string): Promise<readonly Candidate[]>;
  /** The contexts of config.yaml, and the word for this machine. */
  contexts(): readonly Candidate[];
}

/** The states of the requests for which a command is meant; all of them for the others. */
const statesFor: Readonly<Record<string, readonly string[]>> = {
  cancel: ['accepted'],
  wait: ['accepted', 'running'],
};

/**
 * Returns the completions of the last word of a command line: a command, an option, one of its choices, the name of an agent, or the
 * id of a request or a turn. None when only the shell can help, as with files.
 *
 * @param words the words after the program's name; the last one is the beginning of the word to complete
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  known: KnownNames,
): Promise<Candidate[]> {
  const begun = words.at(-1) ?? '';
  const { command, positionals, pending, isOver } = placeOf(program, words.slice(0, -1));
  return (await possible()).filter(({ value }) => value.startsWith(begun));

  async function possible(): Promise<readonly Candidate[]> {
    if (pending) return valuesOf(pending, known);
    if (begun.startsWith('-') && !isOver) return optionsOf(command);
    if (command.commands.length > 0 && positionals.length === 0) return commandsOf(command);
    const taken = command.registeredArguments;
    const argument = taken[positionals.length] ?? (taken.at(-1)?.variadic ? taken.at(-1) : undefined);
    const [agent = ''] = positionals;
    switch (argument?.name()) {
      case 'name':
      case 'names':
        return named(known.agents());
      case 'request-id':
        return known.requests(agent, statesFor[command.name()] ?? null);
      case 'turn-id':
        return known.turns(agent);
      case 'setting':
        return settingNames.map((value) => ({ value, description: settings[value].words }));
      case 'context':
        // A new one has a new name.
        return command.name() === 'add' ? [] : known.contexts();
      default:
        return [];
    }
  }
}

interface Place {
  readonly command: Command;
  /** The words that are neither commands nor options or their values. */
  readonly positionals: readonly string[];
  /** The option whose value comes next. */
  readonly pending: Option | null;
  /** Whether `--` came before, after which no word is an option. */
  readonly isOver: boolean;
}

function placeOf(program: Command, words: readonly string[]): Place {
  let [command, isOver] = [program, false];
  const positionals: string[] = [];
  let pending: Option | null = null;
  for (const word of words) {
    if (pending) pending = null;
    else if (word === '--') isOver = true;
    else if (word.startsWith('-') && !isOver) pending = waitingFor(command, word);
    else {
      const next = positionals.length === 0 && !isOver ? subcommand(command, word) : undefined;
      if (next) command = next;
      else positionals.push(word);
    }
  }
  return { command, positionals, pending, isOver };
}

const subcommand = (command: Command, word: string): Command | undefined =>
  command.commands.find((one) => one.name() === word || one.aliases().includes(word));

/** Returns the option whose value comes next; null when it takes none, or has it already. */
function waitingFor(command: Command, word: string): Option | null {
  for (let one: Command | null = command; one !== null; one = one.parent) {
    const option = one.options.find(({ long, short }) => word === long || word === short);
    if (option) return option.required ? option : null;
  }
  return null;
}

function valuesOf(option: Option, known: Pick<KnownNames, 'agents' | 'contexts'>): readonly Candidate[] {
  if (option.long === '--agent-name' || option.long === '--also') return named(known.agents());
  if (option.long === '--context') return known.contexts();
  return (option.argChoices ?? []).map((value) => ({ value, description: '' }));
}

const named = (names: readonly string[]): Candidate[] =>
  names.map((value) => ({ value, description: 'agent' }));

const optionsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));

const commandsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), description: one.description() }));

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Returns candidates in the form that the script of this shell reads, one per line. */
export function linesFor(shell: Shell, candidates: readonly Candidate[]): string[] {
  if (shell === 'bash') return candidates.map(({ value }) => value);
  const separator = shell === 'zsh' ? ':' : '\t';
  return candidates.map(({ value, description }) => {
    const name = shell === 'zsh' ? value.replaceAll(':', '\\:') : value;
    return description === '' ? name : `${name}${separator}${description}`;
  });
}

/**
 * Returns the script that a shell runs once, so that it calls this program at each Tab. The words are passed unchanged, never
 * through `eval`: a prompt that is being typed may contain anything (docs/decisions.md#shell-completion).
 */
const completionScript = (shell: Shell): string => scripts[shell];

const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of houmao-mgr for bash. In ~/.bashrc: eval "$(houmao-mgr completion bash)"
_houmao_mgr() {
  local IFS=$'\\n'
  COMPREPLY=($(houmao-mgr complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _houmao_mgr houmao-mgr
`,
  zsh: `#compdef houmao-mgr
# Completion of houmao-mgr for zsh. In ~/.zshrc, behind compinit: eval "$(houmao-mgr completion zsh)"
_houmao_mgr() {
  local -a found
  found=("\${(@f)$(houmao-mgr complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then _describe -V houmao-mgr found; else _files; fi
}
compdef _houmao_mgr houmao-mgr
`,
  fish: `# Completion of houmao-mgr for fish. In ~/.config/fish/config.fish: houmao-mgr completion fish | source
function __houmao_mgr_found
  set -l before (commandline -opc)
  set -l begun (commandline -ct)
  set -g __houmao_mgr_lines (houmao-mgr complete fish -- $before[2..-1] "$begun" 2>/dev/null)
  test -n "$__houmao_mgr_lines"
end
complete -c houmao-mgr -n __houmao_mgr_found -f -a '$__houmao_mgr_lines'
`,
};

const shellArgument = (): Argument => new Argument('<shell>', 'the shell').choices(shells);

/** Adds `completion`, which users put into the start-up file of their shell, and `complete`, which the shell then calls. */
export function addCompletion(program: Command, caller: CommandCaller): void {
  program
    .command('completion')
    .description('print the script with which a shell completes commands, options, names of agents and ids')
    .addArgument(shellArgument())
    .action((shell: Shell) => void process.stdout.write(completionScript(shell)));
  program
    .command('complete', { hidden: true })
    .addArgument(shellArgument())
    .argument('[words...]', 'the command line so far, after the name of the program')
    .action(async (shell: Shell, words: string[]) => {
      const lines = linesFor(shell, await candidatesFor(program, words, knownHere(caller)));
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    });
}

/** Returns no names when the environment is faulty: the command that is run then reports that. */
export function namesHere({ host }: Pick<CommandCaller, 'host'>): string[] {
  try {
    return agentNames(host());
  } catch {
    return [];
  }
}

/** The most requests that are offered, and the time that a person waits for them at Tab. */
const mostRequests = 50;
const askMilliseconds = 1000;

/** Returns the names and ids of this host, with no request where the queue of the agent cannot be read at once. */
function knownHere(caller: CommandCaller): KnownNames {
  const recent = async (agent: string): Promise<readonly RequestRecord[]> => {
    try {
      let found: readonly RequestRecord[] = [];
      const call = { query: { limit: mostRequests }, timeoutMs: askMilliseconds, maxRetries: 0 };
      await askQueue(agent, {}, caller.host(), caller.output({ json: true }), async ({ listRequests }) => {
        found = (await listRequests(call)).requests;
      });
      return found;
    } catch {
      return [];
    }
  };
  return {
    contexts: () => contextsOf(unlessUnusable(() => caller.config())),
    agents: () => namesHere(caller),
    requests: async (agent, states) =>
      (await recent(agent))
        .filter(({ state }) => states?.includes(state) ?? true)
        .map((request) => ({ value: request.request_id, description: describe(request) })),
    turns: async (agent) =>
      (await recent(agent)).flatMap((request) =>
        request.turn === null ? [] : [{ value: request.turn.turn_id, description: describe(request) }],
      ),
  };
}

const contextsOf = (config: Config | null): Candidate[] => [
  { value: here, description: 'this machine' },
  ...[...(config?.contexts ?? [])].map(([value, { server }]) => ({ value, description: server })),
];

/** Tells a person which request it is: its state, and the beginning of its prompt on one line. */
const describe = ({ state, prompt_preview }: RequestRecord): string =>
  `${state}${prompt_preview ? `: ${prompt_preview.replace(/\s+/g, ' ').slice(0, 40)}` : ''}`;
