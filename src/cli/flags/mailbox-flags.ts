import { isAbsolute, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { BadEnvironment } from '../../foundation/environment.js';
import type { ServerMailboxSettings } from '../../launch/launch-request.js';
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
 * Returns the requested mailbox on a mail server: from the flags, then from the brain manifest, then from the environment.
 * @returns null when a mailbox in a folder is meant. @throws {CommandFailure}
 */
export function requestedServerMailbox(
  flags: MailServerFlags & { address?: string; principalId?: string; mailboxRoot?: string },
  declared: DeclaredMailbox | null,
  environment: NodeJS.ProcessEnv,
): ServerMailboxSettings | null {
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

/**
 * Returns the absolute path of a file that exists; whether it holds a credential is checked by its reader. @throws
 * {CommandFailure}
 */
function readable(path: string): string {
  textFrom('--credential-file', path);
  return resolve(withHome(path));
}

const usage = (text: string): CommandFailure => new CommandFailure(text, exitCodes.usage);

/** Names the wrong part of a URL by the flag that gave it, or by the field of the brain manifest. */
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

/** @param first the root that comes before the one of the environment. */
export const addRootFlag = (command: Command, first = ''): Command =>
  command.addOption(
    new Option(
      '--mailbox-root <path>',
      `mailbox root (default: ${first}HOUMAO_GLOBAL_MAILBOX_DIR, else .houmao/mailbox in the current folder)`,
    ).argParser(toText),
  );

/** A mailbox root, and the reason for the choice. */
export interface ChosenRoot {
  path: string;
  detail: string;
}

const variable = 'HOUMAO_GLOBAL_MAILBOX_DIR';

/**
 * Decides whether a command without the flag finds a root that is declared or in the environment, instead of one below the
 * current folder.
 */
export const isRootKnown = (declared: string | undefined, environment: NodeJS.ProcessEnv): boolean =>
  declared !== undefined || Boolean(environment[variable]?.trim());

/**
 * Chooses the root: from the flag, otherwise from the environment, otherwise a folder below the current one. @throws
 * {BadEnvironment}
 */
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
