import { createHash } from 'node:crypto';
import { toMicrosecondZulu } from '../foundation/timestamps.js';
import { isAddress, noAddress } from '../mail/message/address.js';
import { defaultIdentity, type SessionNames } from '../mail/message/default-identity.js';
import { LaunchRefused } from './launch-fault.js';
import type { ServerMailboxWish } from './launch-request.js';
import type { MailBinding } from './open-mailbox.js';

/** What a manifest says of a mailbox on a mail server, which holds no secret. */
export type ServerBinding = Extract<MailBinding, { transport: 'stalwart' }>;

/** Pure: what a wish comes to. @throws {LaunchRefused} for an address that is none. */
export function serverBinding(
  { jmapUrl, managementUrl, ...wish }: ServerMailboxWish,
  names: SessionNames,
  now: Date,
): ServerBinding {
  const usual = defaultIdentity(names);
  const address = wish.address ?? usual.address;
  if (!isAddress(address))
    throw new LaunchRefused({
      ...{ code: 'mailbox_refused', reason: `address: ${noAddress(address)}`, isInput: true },
    });
  return {
    ...{ transport: 'stalwart', principal_id: wish.principalId ?? usual.principalId, address },
    ...{ bindings_version: toMicrosecondZulu(now), jmap_url: jmapUrl, management_url: managementUrl },
    ...{ login_identity: wish.loginIdentity ?? address, credential_ref: credentialRef(jmapUrl, address) },
  };
}

/** The name of a credential: the same for the same mailbox on the same server, whoever writes it. */
export function credentialRef(jmapUrl: string, address: string): string {
  const digest = createHash('sha256').update(`${jmapUrl}\n${address}`).digest('hex').slice(0, 16);
  return `stalwart-${address.replaceAll('@', '-at-').replaceAll('.', '-')}-${digest}`;
}
