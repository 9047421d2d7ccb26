import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeWithUnfinished, type StagedFile, stageFile } from '../foundation/atomic-file.js';
import { aloneWithin } from '../foundation/file-lock.js';
import { makeFolder } from '../foundation/make-folder.js';
import { ServerFault } from '../mail/jmap/client/server-fault.js';
import type { ManagementCredential } from '../mail/jmap/provision/management-api.js';
import { openProvisioner } from '../mail/jmap/provision/open-provisioner.js';
import { MailFault } from '../mail/message/mail-fault.js';
import type { AgentHost } from './agent-host.js';
import { LaunchFault } from './launch-fault.js';
import { mailServerVariable } from './mail-management.js';
import type { ServerBinding } from './server-binding.js';

/** Another launch of the same mailbox is waited for so many milliseconds: it asks the server a handful of times. */
const patience = 90_000;

/**
 * Makes the account of a mailbox on its mail server, and the domain, with a password that is on disk before the server has it
 * (docs/decisions.md#accounts-on-a-mail-server).
 * @param path where the credential is kept; nothing is done where it is there.
 * @returns what was done.
 * @throws {MailFault} of the server. @throws {LaunchFault} where another launch is at it for too long, or the credential is lost.
 */
export async function provisionMailbox(
  binding: ServerBinding,
  path: string,
  host: Pick<AgentHost, 'clock' | 'management' | 'environment'>,
): Promise<'made' | 'found' | 'known'> {
  refuseElsewhere(binding, host);
  makeFolder(dirname(path), 0o700);
  const done = await aloneWithin(`${path}.lock`, { clock: host.clock, patience }, async () =>
    existsSync(path) ? ('known' as const) : await make(binding, path, host),
  );
  if (done !== null) return done;
  throw new LaunchFault(`Mailbox: another launch is still creating the account ${binding.address}.`);
}

async function make(
  binding: ServerBinding,
  path: string,
  { clock, management }: Pick<AgentHost, 'clock' | 'management'>,
): Promise<'made' | 'found'> {
  if (management === null) throw noCredential(path);
  const { address, principal_id: principalId, login_identity: loginIdentity } = binding;
  const password = randomBytes(24).toString('base64url');
  const content = { credential_ref: binding.credential_ref, login_identity: loginIdentity, password };
  // What a launch left that was killed may be no password any more.
  removeWithUnfinished(path);
  // A disk that takes no file says so before the server has a password.
  const file = stageFile(path, `${JSON.stringify(content, null, 2)}\n`, { durable: true });
  let done: 'made' | 'found';
  try {
    const provisioner = await openProvisioner({
      ...{ jmapUrl: binding.jmap_url, managementUrl: binding.management_url, clock },
      ...{ credential: management, secrets: [password], refusalNotes: dirname(path) },
    });
    const account = { address, principalId, loginIdentity };
    await provisioner.check(account);
    await provisioner.ensureDomain(address.slice(address.lastIndexOf('@') + 1));
    done = await provisioner.ensureAccount(account, password);
  } catch (error) {
    file.discard();
    throw withDoubt(error, address, management);
  }
  keep(file, address, path);
  return done;
}

/** Whoever names another server in a launch must not get the credential of this one. */
function refuseElsewhere(binding: ServerBinding, { environment }: Pick<AgentHost, 'environment'>): void {
  const base = environment[mailServerVariable];
  if (!base) return;
  const origin = URL.canParse(base) ? new URL(base).origin : base;
  for (const field of ['jmap_url', 'management_url'] as const)
    if (new URL(binding[field]).origin !== origin)
      throw new MailFault(
        'unsupported',
        `${field} ${binding[field]} is not at ${origin} (${mailServerVariable}), to which alone management credentials are sent`,
      );
}

/** Both ways to a mailbox on a mail server. */
export const noCredential = (path: string): MailFault =>
  new MailFault(
    'unsupported',
    `there is no credential for it (${path}); register one (houmao-mgr agents mailbox register, or agents launch, with --jmap-url and --credential-file), or set HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN (an API key), or HOUMAO_STALWART_MANAGEMENT_API_KEY and HOUMAO_STALWART_MANAGEMENT_API_SECRET (login and password of an administrator), where the launch is made, so that the account is made on a Stalwart server`,
  );

/** A server takes an API key as a bearer token alone. */
const asLogin =
  '; HOUMAO_STALWART_MANAGEMENT_API_KEY and _API_SECRET are login and password of an administrator, and an API key goes into HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN';

/** What the error leaves to be done, or open. */
function withDoubt(error: unknown, address: string, { authorization }: ManagementCredential): unknown {
  if (error instanceof MailFault && ['unsupported', 'unauthorized'].includes(error.code))
    return new MailFault(
      error.code,
      `${error.message}${error.code === 'unauthorized' && authorization.startsWith('Basic ') ? asLogin : ''}; a credential of its own can be given (--credential-file of houmao-mgr agents mailbox register, and of agents launch)`,
      { cause: error },
    );
  if (!(error instanceof ServerFault) || !error.mayBeDone) return error;
  return new ServerFault(
    error.code as 'unreachable',
    `${error.message}; it is not known whether the account ${address} was made or changed, and the next launch gives it another password`,
    { mayBeDone: true, cause: error },
  );
}

function keep(file: StagedFile, address: string, path: string): void {
  try {
    file.commit();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new LaunchFault(
      `Mailbox: the account ${address} has a new password, which cannot be kept in ${path} (${code}); the next launch gives it another one.`,
      { cause: error },
    );
  }
}
