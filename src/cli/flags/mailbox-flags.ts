import { isAbsolute, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { BadEnvironment } from '../../foundation/environment.js';
import type { ServerMailboxWish } from '../../launch/launch-request.js';
import { mailServerUrls, mailServerVariable } from '../../launch/mail-server.js';
import type { DeclaredMailbox } from '../../session/launch-settings.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { textFrom, toText, withHome } from './options.js';

export interface MailServerFlags {
  jmapUrl?: string;
  managementUrl?: string;
  loginIdentity?: string;
  credentialFile?: string;
}

export const addMailServerFlags = (command: Command): Command =>
  command
    .addOption(
      new Option('--jmap-url <url>', 'use a mailbox on a mail server, with this JMAP URL')
        .argParser(toText)
        .conflicts(['mailboxRoot', 'mailbox', 'mailAccountDir']),
    )
    .addOption(
      new Option(
        '--credential-file <path>',
        'with --jmap-url: JSON file with a "password" or a "bearer_token", mode 0600 (default: the credential kept here, or one created with the account on a Stalwart server, see HOUMAO_STALWART_MANAGEMENT_…)',
      ).argParser(toText),
    )
    .addOption(
      new Option(
        '--login-identity <name>',
        'with --jmap-url: login name, if it is not the address',
      ).argParser(toText),
    )
    .addOption(
      new Option(
        '--management-url <url>',
        'with --jmap-url: URL for managing accounts (default: /api on the same server)',
      ).argParser(toText),
    );

/**
 * The mailbox on a mail server that is meant: what the flags say, then what the brain manifest declares, then the environment.
 * @returns null where one in a folder is. @throws {CommandFailure}
 */
export function serverWish(
  flags: MailServerFlags & { address?: string; principalId?: string; mailboxRoot?: string },
  declared: DeclaredMailbox | null,
  environment: NodeJS.ProcessEnv,
): ServerMailboxWish | null {
  const known = declared?.transport === 'stalwart' && flags.mailboxRoot === undefined ? declared : null;
  if (flags.jmapUrl === undefined && known === null) {
    const stray = flags.credentialFile ?? flags.loginIdentity ?? flags.managementUrl;
    if (stray === undefined) return null;
    throw usage('--credential-file, --login-identity and --management-url need --jmap-url.');
  }
  const urls = mailServerUrls([
    { jmapUrl: flags.jmapUrl, managementUrl: flags.managementUrl },
    { baseUrl: known?.base_url, jmapUrl: known?.jmap_url, managementUrl: known?.management_url },
    { baseUrl: (known && environment[mailServerVariable]?.trim()) || null },
  ]);
  if (!urls.ok) throw usage(urlWords(urls.part, urls.rule, flags));
  const { jmapUrl, managementUrl } = urls;
  return {
    jmapUrl,
    managementUrl,
    loginIdentity: flags.loginIdentity ?? null,
    address: flags.address ?? known?.address ?? null,
    principalId: flags.principalId ?? known?.principal_id ?? null,
    credentialFile: flags.credentialFile === undefined ? null : readable(flags.credentialFile),
  };
}

/** The whole path of a file that is there: whether it holds a credential, its reader says. @throws {CommandFailure} */
function readable(path: string): string {
  textFrom('--credential-file', path);
  return resolve(withHome(path));
}

const usage = (text: string): CommandFailure => new CommandFailure(text, exitCodes.usage);

/** Which part of an address is wrong, by the flag that named it or the field of the brain manifest. */
function urlWords(part: string, rule: string, { jmapUrl, managementUrl }: MailServerFlags): string {
  const flag = { jmap_url: jmapUrl && '--jmap-url', management_url: managementUrl && '--management-url' }[
    part
  ];
  if (flag) return `${flag} ${rule}.`;
  return `The agent's brain manifest declares a mail server, but its ${part} ${rule}; give --jmap-url instead.`;
}

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
