import { isAbsolute, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { BadEnvironment } from '../../foundation/bad-environment.js';
import { withHome } from './given-file.js';
import { toText } from './option-values.js';

export interface RootFlags {
  mailboxRoot?: string;
}

/** @param first which root is meant before those that the environment names. */
export const addRootFlag = (command: Command, first = ''): Command =>
  command.addOption(
    new Option(
      '--mailbox-root <path>',
      `mailbox root (default: ${first}HOUMAO_GLOBAL_MAILBOX_DIR, else .houmao/mailbox in the current folder)`,
    ).argParser(toText),
  );

/** A mailbox root, and who chose it. */
export interface ChosenRoot {
  path: string;
  detail: string;
}

const variable = 'HOUMAO_GLOBAL_MAILBOX_DIR';

/** Whether a command without the flag finds the root that is declared for it, or named, and not whatever is below the current folder. */
export const isRootKnown = (declared: string | undefined, environment: NodeJS.ProcessEnv): boolean =>
  declared !== undefined || Boolean(environment[variable]?.trim());

/** Which root is meant: the flag, else the environment, else a folder below the current one. @throws {BadEnvironment} */
export function chosenRoot({ mailboxRoot }: RootFlags, environment: NodeJS.ProcessEnv): ChosenRoot {
  if (mailboxRoot !== undefined)
    return { path: resolve(withHome(mailboxRoot)), detail: 'The root that --mailbox-root names.' };
  const given = environment[variable]?.trim();
  if (given) {
    const path = withHome(given);
    if (!isAbsolute(path)) throw new BadEnvironment(`${variable} must be an absolute path, got ${given}`);
    return { path, detail: `The root that ${variable} names.` };
  }
  return {
    path: resolve('.houmao', 'mailbox'),
    detail: 'The root of the current folder, as no other is named.',
  };
}
