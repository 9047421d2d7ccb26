import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { listed } from '../../foundation/text.js';
import { nameRule, unprefixedName } from '../../launch/agent-name.js';
import type { LaunchTrouble } from '../../launch/launch-fault.js';
import type { RequestedLaunch } from '../../launch/launch-request.js';
import type { ToolName } from '../../tools/adapter/tool-adapter.js';
import { toolNames } from '../../tools/tool-registry.js';
import { sentenceInFlags } from '../words/call-failure.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { addMailServerFlags, type MailServerFlags, requestedServerMailbox } from './mailbox-flags.js';
import { collectTexts, textFrom, toInteger, toSeconds } from './options.js';

export interface LaunchFlags extends MailServerFlags {
  tool?: ToolName;
  headless?: boolean;
  tui?: boolean;
  hooks?: boolean;
  name?: string;
  role?: string;
  roleFile?: string;
  model?: string;
  reasoning?: number;
  workdir: string;
  home?: string;
  executable?: string;
  env: string[];
  envFile?: string;
  unattended?: boolean;
  skills?: boolean;
  turnTimeLimit?: number;
  tmux: boolean;
  continue?: boolean;
  resume?: string;
  mailbox?: string;
  mailAccountDir?: string;
  address?: string;
  principalId?: string;
}

export const addLaunchFlags = (command: Command): Command => addMailServerFlags(addOwnFlags(command));

const addOwnFlags = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--tool <tool>',
        'agent CLI to run (required, unless `config set tool` has named one)',
      ).choices([...toolNames]),
    )
    .option(
      '--headless',
      'start the tool once per turn, without a terminal; implied by --no-tmux and --turn-time-limit',
    )
    .addOption(
      new Option(
        '--tui',
        'keep the tool running in a terminal: the gateway reads its screen and types prompts',
      ).conflicts(['headless', 'turnTimeLimit']),
    )
    .option(
      '--hooks',
      'with --tui: the tool also reports prompts and permission questions through hooks, which it waits for (Codex: its hook trust is switched off)',
    )
    .option('--name <name>', "name of the agent (default: the tool's name)")
    .option('--role <text>', 'role prompt')
    .addOption(new Option('--role-file <path>', 'role prompt from a file').conflicts('role'))
    .option('--model <model>', 'model of every turn')
    .addOption(
      new Option('--reasoning <level>', 'reasoning preset of every turn, 1 is the lowest').argParser(
        toInteger(0, 99),
      ),
    )
    .option('--workdir <path>', 'working directory', process.cwd())
    .option('--home <path>', "folder of the tool's own files (default: the user's own)")
    .option('--executable <path>', 'program of the tool (default: looked up on PATH)')
    .option(
      '--env <NAME[=VALUE]>',
      'environment variable of every turn; without a value, taken from this shell (repeatable)',
      collectTexts,
      [],
    )
    .option('--env-file <path>', 'environment variables from a file, one per line')
    .option('--unattended', "pass the tool's flag that skips its permission questions")
    .option(
      '--skills',
      'put the skill for work with other agents where the tool looks for skills; one that is there stays',
    )
    .option('--no-tmux', 'run turns without a tmux session')
    .addOption(
      new Option(
        '--turn-time-limit <duration>',
        'end a turn that runs longer, such as 2h (default: no limit)',
      ).argParser(toSeconds({ minimum: 1, maximum: 23 * 86_400 })),
    )
    .option('--continue', "continue the tool's latest conversation")
    .addOption(new Option('--resume <id>', 'continue this conversation').conflicts('continue'))
    .option(
      '--mailbox <root>',
      'give the agent a mailbox in this folder, which agents share; created if missing',
    )
    .option(
      '--address <address>',
      'with --mailbox or --jmap-url: mail address (default: <name>@houmao.localhost)',
    )
    .option(
      '--principal-id <id>',
      'with --mailbox or --jmap-url: owner of the mailbox (default: HOUMAO-<name>)',
    )
    .option(
      '--mail-account-dir <path>',
      'with --mailbox: a private folder for the boxes, outside of the shared one',
    );

/**
 * Converts the flags of `agents launch` into the requested settings. @throws {CommandFailure} when a file that they name cannot
 * be read.
 */
export function requestedLaunch(flags: LaunchFlags, toolArguments: readonly string[]): RequestedLaunch {
  if (flags.hooks && !flags.tui)
    throw new CommandFailure(
      '--hooks needs --tui: hooks report what an agent in a terminal does; of a headless agent this is known without them.',
      exitCodes.usage,
    );
  if (!flags.tui && !flags.headless && !isOnlyHeadless(flags))
    throw new CommandFailure(
      'Choose how the agent runs: --headless (started once per turn) or --tui (kept running in a terminal).',
      exitCodes.usage,
    );
  const { executable, tool } = flags;
  if (tool === undefined)
    throw new CommandFailure(`Which agent CLI? Give --tool with ${listed(toolNames)}.`, exitCodes.usage, {
      remedies: [['or name the one of all new agents', `houmao-mgr config set tool ${toolNames[0]}`]],
    });
  return {
    tool,
    name: flags.name ?? null,
    role: flags.role ?? (flags.roleFile === undefined ? null : textFrom('--role-file', flags.roleFile)),
    model: flags.model ?? null,
    reasoningLevel: flags.reasoning ?? null,
    workingDirectory: resolve(flags.workdir),
    homePath: flags.home === undefined ? null : resolve(flags.home),
    executable: executable?.includes('/') ? resolve(executable) : (executable ?? null),
    variables: [...variablesIn(flags.envFile), ...flags.env.map(toVariable)],
    toolArguments,
    unattended: flags.unattended ?? false,
    tmux: flags.tmux,
    terminal: flags.tui ?? false,
    hooks: flags.hooks ?? false,
    skills: flags.skills ?? false,
    turnTimeLimitSeconds: flags.turnTimeLimit ?? null,
    mailbox: mailboxOf(flags),
    startup:
      flags.resume !== undefined
        ? { kind: 'exact', id: flags.resume }
        : { kind: flags.continue ? 'last' : 'none' },
  };
}

function mailboxOf(flags: LaunchFlags): RequestedLaunch['mailbox'] {
  const { mailbox, mailAccountDir: account } = flags;
  // This also refuses flags of a mail server beside --mailbox.
  const serverMailbox = requestedServerMailbox(flags, null, {});
  if (mailbox !== undefined)
    return {
      root: resolve(mailbox),
      address: flags.address ?? null,
      principalId: flags.principalId ?? null,
      accountFolder: account === undefined ? undefined : resolve(account),
    };
  if (serverMailbox === null && (flags.address ?? flags.principalId ?? account) !== undefined)
    throw new CommandFailure(
      '--address, --principal-id and --mail-account-dir need --mailbox (the first two also work with --jmap-url).',
      exitCodes.usage,
    );
  return serverMailbox;
}

/** Decides whether flags imply a headless agent: a terminal needs tmux, and its turns have no time limit. */
const isOnlyHeadless = ({ tmux, turnTimeLimit }: LaunchFlags): boolean =>
  !tmux || turnTimeLimit !== undefined;

interface Variable {
  name: string;
  value: string | null;
}

/** Reads one variable per line, as `NAME=VALUE` or `export NAME=VALUE`, or a name alone. */
function variablesIn(path: string | undefined): Variable[] {
  if (path === undefined) return [];
  const lines = textFrom('--env-file', path).split('\n');
  return lines.flatMap((line, index) => {
    const entry = line.trim().replace(/^export\s+/, '');
    if (entry === '' || entry.startsWith('#')) return [];
    if (/^[A-Za-z_]\w*(?:=|$)/.test(entry)) return [toVariable(entry)];
    throw new CommandFailure(
      `--env-file ${path}, line ${index + 1}: expected NAME=VALUE, or the name of a variable that is set in this shell.`,
      exitCodes.usage,
    );
  });
}

function toVariable(entry: string): Variable {
  const at = entry.indexOf('=');
  return at === -1 ? { name: entry, value: null } : { name: entry.slice(0, at), value: entry.slice(at + 1) };
}

/** The refusals that mean a wrong value of a flag. */
const usageTroubles: ReadonlySet<LaunchTrouble['code']> = new Set([
  ...(['invalid_name', 'no_folder', 'invalid_variable', 'variable_not_set', 'unstorable_variable'] as const),
  'folder_denied',
  ...(['reasoning_refused', 'reserved_argument', 'terminal_without_tmux'] as const),
  ...(['hooks_without_terminal', 'hooks_refused'] as const),
]);

const isUsage = (trouble: LaunchTrouble): boolean =>
  usageTroubles.has(trouble.code) ||
  (trouble.code === 'program_missing' && trouble.isNamed) ||
  (trouble.code === 'mailbox_refused' && trouble.isInput);

/** Returns the failure of a refused launch, in terms of its flags. */
export const launchFailure = (trouble: LaunchTrouble): CommandFailure =>
  new CommandFailure(launchWords(trouble), isUsage(trouble) ? exitCodes.usage : exitCodes.failed, {
    errorCode: trouble.code,
    remedies:
      trouble.code === 'name_taken'
        ? [['choose another --name, or stop it', `houmao-mgr agents stop ${unprefixedName(trouble.name)}`]]
        : [],
  });

function launchWords(trouble: LaunchTrouble): string {
  switch (trouble.code) {
    case 'invalid_name':
      return `--name ${trouble.name}: ${nameRule}.`;
    case 'name_taken':
      return `An agent named ${unprefixedName(trouble.name)} already exists (${trouble.manifestPath}).`;
    case 'program_missing':
      return trouble.isNamed
        ? `--executable ${trouble.program} is not a program that can be run.`
        : `${trouble.program} is not a program that can be run; install it or name another with --executable.`;
    case 'no_folder':
      return `--workdir ${trouble.path} is not a folder.`;
    case 'folder_denied': {
      const flag = trouble.folder === 'home' ? '--home' : '--workdir';
      return `${flag} ${trouble.path}: ${trouble.reason}. Name another folder with ${flag}, or have its owner give access.`;
    }
    case 'invalid_variable':
      return `--env ${trouble.name} is not the name of a variable.`;
    case 'variable_not_set':
      return `--env ${trouble.name} is not set in this shell; write --env ${trouble.name}=VALUE.`;
    case 'unstorable_variable':
      return trouble.detail;
    case 'reasoning_refused':
      return `--reasoning ${trouble.level}: ${trouble.reason}`;
    case 'reserved_argument':
      return `The argument ${trouble.argument} is set by each turn itself; it cannot be given to a launch.`;
    case 'terminal_without_tmux':
      return '--tui needs tmux; remove --no-tmux.';
    case 'hooks_without_terminal':
      return '--hooks needs --tui.';
    case 'hooks_refused':
      return `--hooks: ${trouble.reason}`;
    case 'mailbox_refused':
      return trouble.isInput ? mailboxWords(trouble.reason) : `The mailbox was refused: ${trouble.reason}`;
  }
}

/** Words the fault of the requested mailbox, with its flag or its folder. */
const mailboxWords = (reason: string): string =>
  reason.startsWith('/') ? `The mailbox root ${reason}` : sentenceInFlags(reason);
