import { parseEntryName } from '../../message/address.js';
import type { Principal } from '../../message/mail-message.js';
import { newHexId } from '../../message/message-id.js';
import { operator } from '../../message/operator-message.js';
import type { RegistrationRow } from '../tables/registration-table.js';

/** An entry of `mailboxes/`. */
export interface FoundEntry {
  name: string;
  path: string;
  /** Where it leads, for a link; null for a folder. */
  target: string | null;
}

/**
 * The entries that no registration has: their rows were lost. Where the index knows others, an entry in which nothing is was
 * left by a registration that did not come to its end, and is nobody's.
 */
export function lostEntries(
  entries: readonly FoundEntry[],
  rows: readonly RegistrationRow[],
  isUnused: (path: string) => boolean,
): FoundEntry[] {
  const known = new Set(rows.map((row) => row.mailbox_entry_path));
  const active = new Set(rows.filter(({ status }) => status === 'active').map(({ address }) => address));
  const knowsOthers = rows.some(({ address }) => address !== operator.address);
  return entries.filter(
    ({ name, path, target }) =>
      !known.has(path) && !active.has(name) && !(knowsOthers && target === null && isUnused(path)),
  );
}

/**
 * The registrations that entries speak of where no index does. The owner is whom the messages name; where none does, who
 * would have the address by default.
 */
export function inferRegistrations(
  entries: readonly FoundEntry[],
  owners: ReadonlyMap<string, Principal>,
  now: string,
): RegistrationRow[] {
  return entries.flatMap(({ name, path, target }) => {
    const entry = parseEntryName(name);
    if (!entry) return [];
    const { address, stashed } = entry;
    const isOperator = address === operator.address;
    const row: RegistrationRow = {
      ...{ registration_id: `reg-${newHexId()}`, address, status: stashed ? 'stashed' : 'active' },
      owner_principal_id: isOperator ? operator.principalId : ownerOf(address, owners),
      ...{ mailbox_kind: target === null ? 'in_root' : 'symlink', mailbox_path: target ?? path },
      ...{ mailbox_entry_path: path, display_name: isOperator ? operator.displayName : null },
      ...{ manifest_path_hint: null, role: isOperator ? operator.role : null, created_at_utc: now },
      ...{ deactivated_at_utc: stashed ? now : null, replaced_by_registration_id: null },
    };
    return [row];
  });
}

function ownerOf(address: string, owners: ReadonlyMap<string, Principal>): string {
  const local = address.slice(0, address.indexOf('@'));
  const byDefault = local.startsWith('HOUMAO-') ? local : `HOUMAO-${local}`;
  return owners.get(address)?.principalId ?? byDefault;
}
