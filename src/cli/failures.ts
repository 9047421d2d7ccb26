import type { Command, CommanderError } from 'commander';
import { BadEnvironment } from '../foundation/environment.js';
import { UnusableFile } from '../foundation/faults.js';
import { NoFolder } from '../foundation/make-folder.js';
import { NoSqlite } from '../foundation/open-database.js';
import { systemFaultOf } from '../foundation/system-fault.js';
import { listed } from '../foundation/text.js';
import { LaunchFault, LaunchRefused } from '../launch/launch-fault.js';
import { MailFault, type MailFaultCode, MailRefusal } from '../mail/message/mail-fault.js';
import { isCallError } from '../protocols/agent-work.js';
import { TmuxFault } from '../terminal/tmux-fault.js';
import { launchFailure } from './flags/launch-options.js';
import { callFailure, refusalFailure } from './words/call-failure.js';
import { CommandFailure, type ExitCode, exitCodes } from './words/command-failure.js';

/** Converts any error of a command into a failure; with a stack when it is a fault of this program. */
export function failureOf(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (isCallError(error)) return callFailure(error);
  if (error instanceof LaunchRefused) return launchFailure(error.trouble);
  const errorCode = knownKinds.find(([kind]) => error instanceof kind)?.[1];
  if (errorCode !== undefined) return new CommandFailure((error as Error).message, 1, { errorCode });
  if (error instanceof MailRefusal) return refusalFailure(error);
  if (error instanceof MailFault)
    return new CommandFailure(error.message, mailExitCodes[error.code] ?? exitCodes.failed, {
      errorCode: error.code,
    });
  const fault = systemFaultOf(error, 'this machine');
  if (fault !== null) return new CommandFailure(fault, exitCodes.failed, { errorCode: 'machine' });
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return new CommandFailure(stack ?? message, exitCodes.failed, { errorCode: 'internal_fault' });
}

const knownKinds = [
  [UnusableFile, 'unusable_file'],
  [NoFolder, 'machine'],
  [TmuxFault, 'tmux'],
  [LaunchFault, 'launch_failed'],
  [BadEnvironment, 'bad_environment'],
  [NoSqlite, 'sqlite_missing'],
] as const;

/** The exit codes of mailbox errors that are no plain refusals. */
const mailExitCodes: Partial<Record<MailFaultCode, ExitCode>> = {
  not_registered: exitCodes.notFound,
  message_unknown: exitCodes.notFound,
  state_late: exitCodes.doneDespiteError,
  outcome_unknown: exitCodes.outcomeUnknown,
};

/** Commands that cannot be undone, which are never suggested for a mistyped word. */
const destructive = /\b(?:stop|prune|purge|remove|clear|cleanup)\b/;

/**
 * Converts a command line that commander refuses into a failure: commander's sentence, the possible words in that place, and
 * the command that prints the help.
 *
 * @param command the command that was called, as far as it is known
 * @param agents their names; called only when one is missing
 */
export function misuse(
  { code, message }: Pick<CommanderError, 'code' | 'message'>,
  command: Command,
  agents: () => readonly string[],
): CommandFailure {
  const called = ['houmao-mgr', ...pathOf(command)].join(' ');
  const help = `${called} --help`;
  const possible = [...choices(), `See ${help}`].join('. ');
  return new CommandFailure(
    code === 'commander.help' ? 'A command is missing.' : sentence(),
    exitCodes.usage,
    {
      hint: possible,
      remedies: [['see its options and examples', help]],
    },
  );

  function sentence(): string {
    const [what = '', suggestion = ''] = message.replace(/^error: /, '').split('\n');
    const meant = destructive.test(suggestion) ? '' : suggestion.replace(/^\((.*)\)$/, ' $1');
    return `${what.charAt(0).toUpperCase()}${what.slice(1)}${/[.?]$/.test(what) ? '' : '.'}${meant}`;
  }

  function choices(): string[] {
    const usage = `Usage: ${called} ${command.usage()}`;
    switch (code) {
      case 'commander.help':
      case 'commander.unknownCommand': {
        const shown = command
          .createHelp()
          .visibleCommands(command)
          .map((one) => one.name());
        return [`Commands: ${shown.filter((name) => name !== 'help').join(', ')}`];
      }
      case 'commander.missingArgument': {
        const names = message.endsWith(" 'name'") ? agents() : [];
        return names.length === 0 ? [usage] : [`Agents: ${listed(names)}`, usage];
      }
      case 'commander.excessArguments':
        return [usage];
      default:
        return [];
    }
  }
}

/** Returns the words that lead to a command, without the program's name. */
export const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

/**
 * Makes every command throw commander's refusals as such failures. @param helpAlone prints commander's help when a command is
 * missing
 */
export function refuseInWords(command: Command, agents: () => readonly string[], helpAlone: boolean): void {
  command.exitOverride((error) => {
    const isHelp = error.exitCode === 0 || (helpAlone && error.code === 'commander.help');
    throw isHelp ? error : misuse(error, command, agents);
  });
  for (const one of command.commands) refuseInWords(one, agents, helpAlone);
}
