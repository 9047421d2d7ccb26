import { isAbsolute, join } from 'node:path';
import { absoluteVariable, belowHome } from '../../foundation/environment.js';
import type { DeclaredMailbox } from '../../session/launch-settings.js';
import type { AgentHost } from '../agent-host.js';
import type { LaunchRequest, ServerMailboxSettings } from '../launch-request.js';
import { mailServerUrls, mailServerVariable } from '../mail-server.js';
import { BrainLaunchRefused, type MailboxField, type MailboxOverrides } from './brain-launch.js';

const ofServers = [
  'stalwart_base_url',
  'stalwart_jmap_url',
  'stalwart_management_url',
  'stalwart_login_identity',
] as const satisfies readonly MailboxField[];

type Host = Pick<AgentHost, 'environment' | 'home'>;
type Declared<Transport> = Extract<DeclaredMailbox, { transport: Transport }> | null;

/**
 * Returns the mailbox of a launch: its own settings, then those that the brain manifest declares, then those of this host.
 * @returns null if neither of the first two names one.
 * @throws {BrainLaunchRefused}
 */
export function requestedMailboxOf(
  overrides: MailboxOverrides | null,
  declared: DeclaredMailbox | null,
  host: Host,
): LaunchRequest['mailbox'] {
  if (overrides === null && declared === null) return null;
  const transport = overrides?.transport ?? declared?.transport ?? null;
  if (transport === null) throw fieldFault('transport', 'is needed, as the brain manifest declares none');
  const identity = {
    address: overrides?.address ?? (declared?.transport === transport ? declared.address : null) ?? null,
    principalId:
      overrides?.principal_id ?? (declared?.transport === transport ? declared.principal_id : null) ?? null,
  };
  if (transport === 'stalwart') {
    const known = declared?.transport === 'stalwart' ? declared : null;
    return { ...identity, ...serverOf(overrides ?? {}, known, host) };
  }
  const known = declared?.transport === 'filesystem' ? declared : null;
  return { ...identity, root: rootOf(overrides ?? {}, known, host) };
}

function rootOf(overrides: MailboxOverrides, declared: Declared<'filesystem'>, host: Host): string {
  refuseMisplaced(overrides, ofServers, 'stalwart');
  const named = overrides.filesystem_root ?? declared?.filesystem_root ?? null;
  const root = named === null ? usualRoot(host) : belowHome(named, host.home);
  if (!isAbsolute(root)) throw fieldFault('filesystem_root', 'must be an absolute path');
  return root;
}

function serverOf(
  overrides: MailboxOverrides,
  declared: Declared<'stalwart'>,
  { environment }: Host,
): Omit<ServerMailboxSettings, 'address' | 'principalId'> {
  refuseMisplaced(overrides, ['filesystem_root'], 'filesystem');
  const urls = mailServerUrls([
    {
      baseUrl: overrides.stalwart_base_url,
      jmapUrl: overrides.stalwart_jmap_url,
      managementUrl: overrides.stalwart_management_url,
    },
    {
      baseUrl: declared?.base_url,
      jmapUrl: declared?.jmap_url,
      managementUrl: declared?.management_url,
    },
    { baseUrl: environment[mailServerVariable]?.trim() || null },
  ]);
  if (!urls.ok) throw fieldFault(`stalwart_${urls.part}`, urls.rule);
  const { jmapUrl, managementUrl } = urls;
  const loginIdentity = overrides.stalwart_login_identity ?? null;
  return { jmapUrl, managementUrl, loginIdentity, credentialFile: null };
}

function refuseMisplaced(
  overrides: MailboxOverrides,
  fields: readonly MailboxField[],
  transport: DeclaredMailbox['transport'],
): void {
  const misplaced = fields.find((field) => (overrides[field] ?? null) !== null);
  if (misplaced) throw fieldFault(misplaced, `belongs to the transport ${transport}`);
}

const fieldFault = (field: MailboxField, rule: string): BrainLaunchRefused =>
  new BrainLaunchRefused({ code: 'mailbox_field', field, rule });

/** @throws {BadEnvironment} */
const usualRoot = ({ environment, home }: Host): string =>
  absoluteVariable(environment, 'HOUMAO_GLOBAL_MAILBOX_DIR') ?? join(home, '.houmao', 'mailbox');
