import { isReserved, parseAddress } from '../../message/address.js';
import { MailRefusal } from '../../message/mail-refusal.js';
import { operator } from '../../message/operator-message.js';
import { isBlank, strip } from '../../message/python-text.js';
import { entryPath, isBelow, type MailPaths, realPathOf } from '../root/mail-paths.js';
import type { MailboxKind } from '../tables/registration-table.js';

/** `safe` replaces nobody, `force` takes the place of another mailbox, `stash` sets that aside. */
export type RegistrationMode = 'safe' | 'force' | 'stash';

export interface RegistrationInput {
  mode: RegistrationMode;
  address: string;
  ownerPrincipalId: string;
  kind: MailboxKind;
  /** The private folder of kind `symlink`; null otherwise. */
  mailboxPath: string | null;
  displayName: string | null;
  manifestPathHint: string | null;
  role: string | null;
}

/** What was asked for, checked: paths are real, texts trimmed. */
export interface RegistrationRequest extends Omit<RegistrationInput, 'mailboxPath'> {
  mailboxPath: string;
  entryPath: string;
}

/** @throws {MailRefusal} */
export function checkRequest(paths: MailPaths, input: RegistrationInput): RegistrationRequest {
  const address = parseAddress(input.address, 'address');
  const request = {
    ...input,
    address,
    ownerPrincipalId: text(input.ownerPrincipalId, 'owner_principal_id'),
    displayName: optional(input.displayName, 'display_name'),
    manifestPathHint: optional(input.manifestPathHint, 'manifest_path_hint'),
    role: optional(input.role, 'role'),
    entryPath: entryPath(paths, address),
    mailboxPath: pathOf(paths, input, address),
  };
  checkReserved(request);
  return request;
}

function pathOf(paths: MailPaths, { kind, mailboxPath }: RegistrationInput, address: string): string {
  const entry = entryPath(paths, address);
  if (kind === 'in_root') {
    if (mailboxPath !== null && realPathOf(mailboxPath) !== entry)
      throw new MailRefusal('mailbox_path', `must be ${entry} for a mailbox in the root`);
    return entry;
  }
  if (mailboxPath === null) throw new MailRefusal('mailbox_path', 'must be given for a private mailbox');
  const path = realPathOf(mailboxPath);
  if (path === paths.root || isBelow(path, paths.root) || isBelow(paths.root, path))
    throw new MailRefusal('mailbox_path', `must lie outside of ${paths.root}`);
  return path;
}

/** The system's addresses belong to the one account that every root has. */
function checkReserved({ address, ownerPrincipalId, role }: RegistrationRequest): void {
  const isOperator =
    address === operator.address && ownerPrincipalId === operator.principalId && role === operator.role;
  if (isReserved(address) && !isOperator)
    throw new MailRefusal('address', `${address} is reserved for the system`);
}

function text(value: string, field: string): string {
  if (isBlank(value)) throw new MailRefusal(field, 'must not be blank');
  if (value.includes('\0')) throw new MailRefusal(field, 'must not contain NUL');
  return strip(value);
}

const optional = (value: string | null, field: string): string | null =>
  value === null ? null : text(value, field);
