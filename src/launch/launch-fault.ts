import { nameRule, unprefixedName } from './agent-name.js';

/** A session or gateway could not be started or stopped; the message says why and what to do. */
export class LaunchFault extends Error {
  override readonly name: string = 'LaunchFault';
}

/**
 * The reason why a launch is refused. Each surface describes it in its own terms: flags, or fields of a body. A missing program
 * was named by the launch or is the tool's own; a mailbox is refused because of its settings, or because of its state.
 */
export type LaunchTrouble =
  | { code: 'invalid_name'; name: string }
  | { code: 'name_taken'; name: string; manifestPath: string }
  | { code: 'program_missing'; program: string; isNamed: boolean }
  | { code: 'no_folder'; path: string }
  | { code: 'folder_denied'; folder: 'working directory' | 'home'; path: string; reason: string }
  | { code: 'invalid_variable'; name: string }
  | { code: 'variable_not_set'; name: string }
  | { code: 'unstorable_variable'; detail: string }
  | { code: 'reasoning_refused'; level: number; reason: string }
  | { code: 'reserved_argument'; argument: string }
  | { code: 'terminal_without_tmux' }
  | { code: 'hooks_without_terminal' }
  | { code: 'hooks_refused'; reason: string }
  | { code: 'mailbox_refused'; reason: string; isInput: boolean };

/** A launch was refused; nothing was changed. */
export class LaunchRefused extends LaunchFault {
  override readonly name = 'LaunchRefused';
  readonly trouble: LaunchTrouble;

  constructor(trouble: LaunchTrouble) {
    super(sentenceOf(trouble));
    this.trouble = trouble;
  }
}

function sentenceOf(trouble: LaunchTrouble): string {
  switch (trouble.code) {
    case 'invalid_name':
      return `${trouble.name} cannot name an agent: ${nameRule}.`;
    case 'name_taken':
      return `An agent named ${unprefixedName(trouble.name)} already exists (${trouble.manifestPath}).`;
    case 'program_missing':
      return `${trouble.program} is not a program that can be run.`;
    case 'no_folder':
      return `${trouble.path} is not a folder.`;
    case 'folder_denied':
      return `The ${trouble.folder} ${trouble.path}: ${trouble.reason}. Name another one, or have its owner give access.`;
    case 'invalid_variable':
      return `${trouble.name} is not the name of a variable.`;
    case 'variable_not_set':
      return `The variable ${trouble.name} is not set here.`;
    case 'unstorable_variable':
      return trouble.detail;
    case 'reasoning_refused':
      return `Reasoning level ${trouble.level}: ${trouble.reason}`;
    case 'reserved_argument':
      return `The argument ${trouble.argument} is set by each turn itself; it cannot be given to a launch.`;
    case 'terminal_without_tmux':
      return 'An agent in a terminal needs tmux.';
    case 'hooks_without_terminal':
      return 'Hooks are only for agents in a terminal.';
    case 'hooks_refused':
      return `Hooks: ${trouble.reason}`;
    case 'mailbox_refused':
      return `Mailbox: ${trouble.reason}`;
  }
}
