import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../../foundation/clock.js';
import { MailFault } from '../../message/mail-fault.js';
import { JmapClient } from '../client/jmap-client.js';
import { ServerFault } from '../client/server-fault.js';
import { stalwartCapability } from '../client/session.js';
import { refusalMemory, SignInGuard } from '../client/sign-in-guard.js';
import type { MailProvisioner } from './mail-provisioner.js';
import { ManagementApi, type ManagementCredential } from './management-api.js';
import { PrincipalProvisioner } from './principal-provisioner.js';
import { RegistryProvisioner } from './registry-provisioner.js';

interface ProvisioningParts {
  jmapUrl: string;
  managementUrl: string;
  credential: ManagementCredential;
  clock: Clock;
  /** The folder for notes that a server refused the credential; null where only this program remembers it. */
  refusalNotes: string | null;
  /** Further texts that must not appear in any message about a fault. */
  secrets: readonly string[];
  /** Milliseconds for one call; where it is left out, 10 s. */
  limit?: number;
}

const usualLimit = 10_000;
const ListSchema = Type.Object({ data: Type.Object({ items: Type.Array(Type.Unknown()) }) });

/**
 * Finds out how accounts are made on that server; it changes nothing.
 * @throws {ServerFault} where that cannot be found out now, or the credential is not accepted.
 * @throws {MailFault} `unsupported` for a server that is no Stalwart, and for an address to which
 * the credential must not be sent.
 */
export async function openProvisioner(parts: ProvisioningParts): Promise<MailProvisioner> {
  const { jmapUrl, managementUrl, credential, clock, secrets, refusalNotes, limit = usualLimit } = parts;
  // Up to 0.15 the management API accepts credentials that the mail does not, so refusals are remembered separately.
  const memoryOf = (part: 'session' | 'api') =>
    refusalMemory(refusalNotes && join(refusalNotes, noteOf(parts, part)));
  const client = new JmapClient({
    jmapUrl,
    clock,
    limit,
    secrets,
    using: [stalwartCapability],
    refusals: memoryOf('session'),
    credential: () => ({ ...credential, allowPlainHttp: false }),
  });
  const api = new ManagementApi({
    ...parts,
    limit,
    guard: new SignInGuard(managementUrl, memoryOf('api'), clock),
  });
  const session = await sessionOf(client);
  if (!(session instanceof ServerFault) && session.includes(stalwartCapability))
    return new RegistryProvisioner(client);
  const call = { method: 'GET', path: ['principal'], query: '?types=domain' } as const;
  const rest = await api.ask(call, ListSchema).then(() => null, asAnswer);
  if (rest === null) return new PrincipalProvisioner(api);
  const first =
    session instanceof ServerFault
      ? session.message
      : `the JMAP session at ${jmapUrl} is not one of Stalwart 0.16`;
  const why = `no account can be made there: ${first}, and ${rest.message}`;
  const isRefused = [session, rest].some((it) => it instanceof ServerFault && it.code === 'unauthorized');
  throw isRefused ? new ServerFault('unauthorized', why) : new MailFault('unsupported', why);
}

const noteOf = ({ jmapUrl, managementUrl }: ProvisioningParts, part: string): string => {
  const server = createHash('sha256').update(`${jmapUrl}\n${managementUrl}`).digest('hex').slice(0, 16);
  return `management-${server}.${part}.refused`;
};

/**
 * Returns the capabilities that the session names; or the fault of a server that has no such session, as older ones may answer.
 */
const sessionOf = (client: JmapClient): Promise<readonly string[] | ServerFault> =>
  client.document().then(({ capabilities }) => capabilities, asAnswer);

/** Returns the fault of a server that answered something else; any other error is thrown. */
function asAnswer(error: unknown): ServerFault {
  if (error instanceof ServerFault && error.code !== 'unreachable') return error;
  throw error;
}
