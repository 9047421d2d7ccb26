import { isAddress, noAddress } from '../../message/address.js';
import { MailFault } from '../../message/mail-fault.js';
import { type Principal, plainPrincipal } from '../../message/mail-message.js';
import { strip } from '../../message/python-text.js';
import { whenFree } from '../root/when-free.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import { activeRegistration } from './active-mailbox.js';
import type { MailRoot } from './mail-root.js';

/** Whom addresses belong to now. @throws {MailFault} `recipient_unknown`; for a short name it says which address may be meant. */
export const resolveRecipients = (root: MailRoot, names: readonly string[]): Promise<Principal[]> =>
  root.work(() =>
    whenFree(root.clock, root.paths.index, () => names.map((name) => recipientOf(root, strip(name)))),
  );

function recipientOf(root: MailRoot, name: string): Principal {
  if (!isAddress(name))
    throw new MailFault('recipient_unknown', shortName(name, root.index.registrations.all()));
  const { owner_principal_id: owner } = activeRegistration(root, name, 'recipient_unknown');
  return plainPrincipal(owner, name);
}

function shortName(name: string, rows: readonly RegistrationRow[]): string {
  const meant = rows.filter(
    ({ status, address, owner_principal_id: owner }) =>
      status === 'active' &&
      (address.slice(0, address.indexOf('@')) === name || owner === name || owner === `HOUMAO-${name}`),
  );
  const [only] = meant;
  return only && meant.length === 1
    ? `${JSON.stringify(name)} is not a mailbox address; is ${only.address} meant?`
    : noAddress(name);
}
