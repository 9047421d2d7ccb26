import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { SessionNames } from '../mail/message/default-identity.js';
import { MailFault } from '../mail/message/mail-fault.js';
import { openTransport } from '../mail/open-transport.js';
import { durableCredential, durableRefusal } from '../session/mail-credentials.js';
import type { AgentHost } from './agent-host.js';
import { LaunchFault, LaunchRefused } from './launch-fault.js';
import type { ServerMailboxWish } from './launch-request.js';
import { noCredential, provisionMailbox } from './provision-mailbox.js';
import { type ServerBinding, serverBinding } from './server-binding.js';

type ServerHost = Pick<AgentHost, 'clock' | 'runtimeRoot' | 'management' | 'environment'>;

/**
 * Opens a mailbox that is on a mail server, as the agent will: with the credential that is given, which is kept with those of the
 * host then; with the host's own; or with one that is made with the account.
 * @returns what the manifest is to say of it, and what was made and stays, in words; null where nothing was.
 * @throws {LaunchRefused} where the server does not let the agent in: a credential that was given is not kept then.
 * @throws {LaunchFault} where the server cannot be asked.
 * @throws {UnusableFile} for the file of the credential.
 */
export async function openServerMailbox(
  wish: ServerMailboxWish,
  names: SessionNames,
  host: ServerHost,
): Promise<{ binding: ServerBinding; stays: string | null }> {
  const binding = serverBinding(wish, names, host.clock.now());
  const kept = durableCredential(host.runtimeRoot, binding.credential_ref);
  if (wish.credentialFile !== null) {
    await signIn(binding, wish.credentialFile, null, host).catch(refuse);
    const text = readFileSync(wish.credentialFile, 'utf8');
    writeFileAtomic(kept, withLogin(text, wish.loginIdentity), { durable: true });
    return { binding, stays: null };
  }
  if (!existsSync(kept) && host.management === null) refuse(noCredential(kept));
  const done = existsSync(kept) ? 'known' : await provisionMailbox(binding, kept, host).catch(refuse);
  const stays =
    done === 'known'
      ? null
      : `the account ${binding.address} on its mail server, with its credential in ${kept}`;
  const note = durableRefusal(host.runtimeRoot, binding.credential_ref);
  await signIn(binding, kept, note, host).catch((error: unknown) => refuse(error, stays));
  return { binding, stays };
}

/** Pure: the text of a credential, which keeps the login it was given with: whoever uses it later may not say it again. */
function withLogin(text: string, login: string | null): string {
  if (login === null) return text;
  const content = JSON.parse(text) as Record<string, unknown>;
  if (!('password' in content) || 'login_identity' in content) return text;
  return `${JSON.stringify({ ...content, login_identity: login }, null, 2)}\n`;
}

async function signIn(
  binding: ServerBinding,
  file: string,
  note: string | null,
  { clock }: ServerHost,
): Promise<void> {
  const transport = openTransport(binding, { clock, credentialFile: () => file, refusalNote: () => note });
  try {
    await transport.check();
  } finally {
    transport.close();
  }
}

/** Of something that failed after an account was made: what, and what is there all the same. */
export const andStays = (what: string, stays: string): string => `${what}; created and not removed: ${stays}`;

const passing: ReadonlySet<string> = new Set(['unreachable', 'server_refused', 'outcome_unknown']);

/** @param stays what was made all the same. */
function refuse(error: unknown, stays: string | null = null): never {
  if (!(error instanceof MailFault)) throw error;
  const reason = stays === null ? error.message : andStays(error.message, stays);
  if (passing.has(error.code)) throw new LaunchFault(`Mailbox: ${reason}.`, { cause: error });
  throw new LaunchRefused({ code: 'mailbox_refused', reason, isInput: false });
}
