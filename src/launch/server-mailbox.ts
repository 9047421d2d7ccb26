import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  removeWithUnfinished,
  type StagedFile,
  stageFile,
  writeFileAtomic,
} from '../foundation/atomic-file.js';
import { toMicrosecondZulu } from '../foundation/clock.js';
import { aloneWithin } from '../foundation/file-lock.js';
import { makeFolder } from '../foundation/make-folder.js';
import { ServerFault } from '../mail/jmap/client/server-fault.js';
import type { ManagementCredential } from '../mail/jmap/provision/management-api.js';
import { openProvisioner } from '../mail/jmap/provision/open-provisioner.js';
import { MailFault } from '../mail/message/mail-fault.js';
import { defaultIdentity, isAddress, noAddress, type SessionNames } from '../mail/message/names.js';
import { openTransport } from '../mail/open-transport.js';
import type { MailBinding } from '../session/manifest-schema.js';
import { durableCredential, durableRefusal } from '../session/session-secrets.js';
import type { AgentHost } from './agent-host.js';
import { LaunchFault, LaunchRefused } from './launch-fault.js';
import type { ServerMailboxSettings } from './launch-request.js';
import { mailServerVariable } from './mail-server.js';

type ServerHost = Pick<AgentHost, 'clock' | 'runtimeRoot' | 'management' | 'environment'>;

/**
 * Opens a mailbox on a mail server, as the agent will: with the given credential, which is then kept with those of the host; with
 * the host's own; or with one that is made with the account.
 * @returns the binding for the manifest, and a description of an account that was made and stays; null if none was made.
 * @throws {LaunchRefused} if the server does not let the agent in: a given credential is then not kept.
 * @throws {LaunchFault} if the server cannot be asked.
 * @throws {UnusableFile} for the file of the credential.
 */
export async function openServerMailbox(
  settings: ServerMailboxSettings,
  names: SessionNames,
  host: ServerHost,
): Promise<{ binding: ServerBinding; stays: string | null }> {
  const binding = serverBinding(settings, names, host.clock.now());
  const kept = durableCredential(host.runtimeRoot, binding.credential_ref);
  if (settings.credentialFile !== null) {
    await signIn(binding, settings.credentialFile, null, host).catch(refuse);
    const text = readFileSync(settings.credentialFile, 'utf8');
    writeFileAtomic(kept, withLogin(text, settings.loginIdentity), { durable: true });
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

/** Pure: returns the text of a credential with the login it was given with, because a later launch may not give it again. */
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

/** Describes a failure after an account was made: the failure, and what is still there. */
export const andStays = (what: string, stays: string): string => `${what}; created and not removed: ${stays}`;

const passing: ReadonlySet<string> = new Set(['unreachable', 'server_refused', 'outcome_unknown']);

/** @param stays what was made and is still there. */
function refuse(error: unknown, stays: string | null = null): never {
  if (!(error instanceof MailFault)) throw error;
  const reason = stays === null ? error.message : andStays(error.message, stays);
  if (passing.has(error.code)) throw new LaunchFault(`Mailbox: ${reason}.`, { cause: error });
  throw new LaunchRefused({ code: 'mailbox_refused', reason, isInput: false });
}

/** The manifest's description of a mailbox on a mail server, which contains no secret. */
type ServerBinding = Extract<MailBinding, { transport: 'stalwart' }>;

/** Pure: returns the binding for the requested mailbox. @throws {LaunchRefused} for an invalid address. */
function serverBinding(
  { jmapUrl, managementUrl, ...identity }: ServerMailboxSettings,
  names: SessionNames,
  now: Date,
): ServerBinding {
  const usual = defaultIdentity(names);
  const address = identity.address ?? usual.address;
  if (!isAddress(address))
    throw new LaunchRefused({
      code: 'mailbox_refused',
      reason: `address: ${noAddress(address)}`,
      isInput: true,
    });
  return {
    transport: 'stalwart',
    principal_id: identity.principalId ?? usual.principalId,
    address,
    bindings_version: toMicrosecondZulu(now),
    jmap_url: jmapUrl,
    management_url: managementUrl,
    login_identity: identity.loginIdentity ?? address,
    credential_ref: credentialRef(jmapUrl, address),
  };
}

/** Returns the name of a credential: the same for the same mailbox on the same server, whatever program writes it. */
export function credentialRef(jmapUrl: string, address: string): string {
  const digest = createHash('sha256').update(`${jmapUrl}\n${address}`).digest('hex').slice(0, 16);
  return `stalwart-${address.replaceAll('@', '-at-').replaceAll('.', '-')}-${digest}`;
}

/**
 * How long to wait for another launch of the same mailbox, in milliseconds: that one sends a handful of requests to the server.
 */
const patience = 90_000;

/**
 * Makes the account of a mailbox on its mail server, and the domain, with a password that is on disk before the server has it
 * (docs/decisions.md#accounts-on-a-mail-server).
 * @param path the file of the credential; nothing is done if it exists.
 * @returns what was done.
 * @throws {MailFault} of the server. @throws {LaunchFault} if another launch takes too long, or the credential is lost.
 */
async function provisionMailbox(
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
  // A file that a killed launch left may contain a password that is no longer valid.
  removeWithUnfinished(path);
  // A disk that accepts no file fails here, before the server has a password.
  const file = stageFile(path, `${JSON.stringify(content, null, 2)}\n`, { durable: true });
  let done: 'made' | 'found';
  try {
    const provisioner = await openProvisioner({
      jmapUrl: binding.jmap_url,
      managementUrl: binding.management_url,
      clock,
      credential: management,
      secrets: [password],
      refusalNotes: dirname(path),
    });
    const account = { address, principalId, loginIdentity };
    await provisioner.check(account);
    await provisioner.ensureDomain(address.slice(address.lastIndexOf('@') + 1));
    done = await provisioner.ensureAccount(account, password);
  } catch (error) {
    file.discard();
    throw explained(error, address, management);
  }
  keep(file, address, path);
  return done;
}

/** Refuses other servers: a launch that names another server must not get the credential of this one. */
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

/** Names both ways to a mailbox on a mail server. */
const noCredential = (path: string): MailFault =>
  new MailFault(
    'unsupported',
    `there is no credential for it (${path}); register one (houmao-mgr agents mailbox register, or agents launch, with --jmap-url and --credential-file), or set HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN (an API key), or HOUMAO_STALWART_MANAGEMENT_API_KEY and HOUMAO_STALWART_MANAGEMENT_API_SECRET (login and password of an administrator), where the launch is made, so that the account is made on a Stalwart server`,
  );

/** A server takes an API key only as a bearer token. */
const asLogin =
  '; HOUMAO_STALWART_MANAGEMENT_API_KEY and _API_SECRET are login and password of an administrator, and an API key goes into HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN';

/** Adds to an error what remains to be done, or what is unknown. */
function explained(error: unknown, address: string, { authorization }: ManagementCredential): unknown {
  if (error instanceof MailFault && ['unsupported', 'unauthorized'].includes(error.code))
    return new MailFault(
      error.code,
      `${error.message}${error.code === 'unauthorized' && authorization.startsWith('Basic ') ? asLogin : ''}; a credential of its own can be given (--credential-file of houmao-mgr agents mailbox register, and of agents launch)`,
      { cause: error },
    );
  if (!(error instanceof ServerFault) || !error.outcomeUnknown) return error;
  return new ServerFault(
    error.code as 'unreachable',
    `${error.message}; it is not known whether the account ${address} was made or changed, and the next launch gives it another password`,
    { outcomeUnknown: true, cause: error },
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
