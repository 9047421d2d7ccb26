import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ServerMailboxWish } from '../../launch/launch-request.js';
import { mailServerVariable } from '../../launch/mail-management.js';
import { mailServerUrls } from '../../launch/mail-server-urls.js';
import type { DeclaredMailbox } from '../../session/declared-mailbox.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { withHome } from './given-file.js';
import { toText } from './mail-options.js';

export interface MailServerFlags {
  jmapUrl?: string;
  managementUrl?: string;
  loginIdentity?: string;
  credentialFile?: string;
}

export const addMailServerFlags = (command: Command): Command =>
  command
    .addOption(
      new Option('--jmap-url <url>', 'a mailbox on a mail server: where it speaks JMAP')
        .argParser(toText)
        .conflicts(['mailboxRoot', 'mailbox', 'mailAccountDir']),
    )
    .addOption(
      new Option(
        '--credential-file <path>',
        'with --jmap-url: a JSON file with a "password" or a "bearer_token", of mode 0600; left out, the one that is kept here, or is made with the account on a Stalwart server (HOUMAO_STALWART_MANAGEMENT_…)',
      ).argParser(toText),
    )
    .addOption(
      new Option(
        '--login-identity <name>',
        'with --jmap-url: its login, where that is not the address',
      ).argParser(toText),
    )
    .addOption(
      new Option(
        '--management-url <url>',
        'with --jmap-url: where its accounts are managed; left out, /api there',
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
    throw usage('--credential-file, --login-identity and --management-url go with --jmap-url.');
  }
  const urls = mailServerUrls([
    { jmapUrl: flags.jmapUrl, managementUrl: flags.managementUrl },
    { baseUrl: known?.base_url, jmapUrl: known?.jmap_url, managementUrl: known?.management_url },
    { baseUrl: (known && environment[mailServerVariable]?.trim()) || null },
  ]);
  if (!urls.ok) throw usage(urlWords(urls.part, urls.rule, flags));
  const { jmapUrl, managementUrl } = urls;
  return {
    ...{ jmapUrl, managementUrl, loginIdentity: flags.loginIdentity ?? null },
    address: flags.address ?? known?.address ?? null,
    principalId: flags.principalId ?? known?.principal_id ?? null,
    credentialFile: flags.credentialFile === undefined ? null : resolve(withHome(flags.credentialFile)),
  };
}

const usage = (text: string): CommandFailure => new CommandFailure(text, exitCodes.usage);

/** Which part of an address is wrong, by the flag that named it or the field of the brain manifest. */
function urlWords(part: string, rule: string, { jmapUrl, managementUrl }: MailServerFlags): string {
  const flag = { jmap_url: jmapUrl && '--jmap-url', management_url: managementUrl && '--management-url' }[
    part
  ];
  if (flag) return `${flag} ${rule}.`;
  return `Its brain manifest declares a mail server, of which ${part} ${rule}; say --jmap-url.`;
}
