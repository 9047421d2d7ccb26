import { isAbsolute, join } from 'node:path';
import { absoluteVariable, belowHome } from '../../foundation/environment-folders.js';
import type { DeclaredMailbox } from '../../session/declared-mailbox.js';
import type { AgentHost } from '../agent-host.js';
import type { MailboxWish } from '../launch-request.js';
import type { MailboxOverrides } from './brain-launch-wish.js';
import { BrainLaunchRefused, type MailboxField } from './brain-trouble.js';

const ofServers = [
  'stalwart_base_url',
  'stalwart_jmap_url',
  'stalwart_management_url',
  'stalwart_login_identity',
] as const satisfies readonly MailboxField[];

/**
 * The mailbox that a launch asks for: what it sets itself, then what the brain manifest declares, then the root of this host.
 * @returns null where neither names one.
 * @throws {BrainLaunchRefused}
 */
export function mailboxWishOf(
  overrides: MailboxOverrides | null,
  declared: DeclaredMailbox | null,
  host: Pick<AgentHost, 'environment' | 'home'>,
): MailboxWish | null {
  if (overrides === null && declared === null) return null;
  const transport = overrides?.transport ?? declared?.transport ?? null;
  if (transport === null) throw fieldFault('transport', 'is needed, as the brain manifest declares none');
  if (transport !== 'filesystem') throw new BrainLaunchRefused({ code: 'mailbox_transport', transport });
  const misplaced = ofServers.find((field) => overrides?.[field] !== undefined && overrides[field] !== null);
  if (misplaced) throw fieldFault(misplaced, 'belongs to the transport stalwart');
  const given = declared?.transport === 'filesystem' ? declared : null;
  const named = overrides?.filesystem_root ?? given?.filesystem_root ?? null;
  const root = named === null ? usualRoot(host) : belowHome(named, host.home);
  if (!isAbsolute(root)) throw fieldFault('filesystem_root', 'must be an absolute path');
  return {
    root,
    address: overrides?.address ?? given?.address ?? null,
    principalId: overrides?.principal_id ?? given?.principal_id ?? null,
  };
}

const fieldFault = (field: MailboxField, rule: string): BrainLaunchRefused =>
  new BrainLaunchRefused({ code: 'mailbox_field', field, rule });

/** @throws {BadEnvironment} */
const usualRoot = ({ environment, home }: Pick<AgentHost, 'environment' | 'home'>): string =>
  absoluteVariable(environment, 'HOUMAO_GLOBAL_MAILBOX_DIR') ?? join(home, '.houmao', 'mailbox');
