import { MailRefusal } from '../../message/mail-fault.js';
import { isBlank, strip } from '../../message/mail-text.js';
import { isReserved, parseAddress } from '../../message/names.js';
import { operator } from '../../message/operator-message.js';
import { entryPath, isBelow, type MailPaths, realPathOf } from '../root/mail-paths.js';
import type { MailboxKind, RegistrationRow } from '../tables/registration-table.js';

/** `safe` replaces no mailbox, `force` takes the place of another one, `stash` sets that one aside. */
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

/** The input of a registration after its checks: paths are real, texts are trimmed. */
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

/** Refuses the system's addresses, except for the one account that every root has. */
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

export interface RegistrationFacts {
  /** The active row of the address. */
  active: RegistrationRow | undefined;
  /** Rows whose entry in `mailboxes/` is the requested one, the newest first. */
  atEntry: readonly RegistrationRow[];
  /** The active row, of any address, that has the requested folder. */
  atPath: RegistrationRow | undefined;
  /**
   * The state of the entry: `nothing` is there; `usable` is an empty mailbox, or the requested link; `occupied` is anything else.
   */
  onDisk: 'nothing' | 'usable' | 'occupied';
}

/** The treatment of the present entry. */
export type Displaced = 'stash' | 'remove' | 'keep';

export type RegistrationPlan =
  | { do: 'refuse'; reason: string }
  | { do: 'confirm'; row: RegistrationRow }
  | { do: 'reactivate'; row: RegistrationRow }
  | { do: 'create'; replaces: RegistrationRow | null; displaced: Displaced };

const ways = 'mode force replaces it, mode stash sets it aside';

/** Decides what a registration does. Mode `safe` removes nothing of value (docs/decisions.md#registrations). */
export function planRegistration(request: RegistrationRequest, facts: RegistrationFacts): RegistrationPlan {
  const { active, atPath, onDisk } = facts;
  if (request.kind === 'symlink' && atPath && atPath.address !== request.address)
    return refuse(`${request.mailboxPath} is the mailbox of ${atPath.address}`);
  if (active && matches(active, request)) return { do: 'confirm', row: active };
  const last = newest(facts.atEntry);
  if (!active && last?.status === 'inactive' && matches(last, request))
    return { do: 'reactivate', row: last };
  const tracked = active ?? last;
  const taken = tracked
    ? `${request.address} is registered for ${tracked.owner_principal_id} (${tracked.mailbox_kind}, ${tracked.status})`
    : onDisk === 'occupied' && `${request.entryPath} holds something that no registration knows`;
  if (taken && request.mode === 'safe') return refuse(`${taken}; ${ways}`);
  return { do: 'create', replaces: tracked ?? null, displaced: displacedBy(request, tracked, onDisk) };
}

const refuse = (reason: string): RegistrationPlan => ({ do: 'refuse', reason });

function displacedBy(
  { mode }: RegistrationRequest,
  tracked: RegistrationRow | undefined,
  onDisk: RegistrationFacts['onDisk'],
): Displaced {
  if (onDisk === 'nothing' || (!tracked && onDisk === 'usable')) return 'keep';
  return mode === 'stash' ? 'stash' : 'remove';
}

/**
 * Returns the newest row. Rows of the same second have no order of their own, but a replaced row is older than its replacement.
 */
function newest(rows: readonly RegistrationRow[]): RegistrationRow | undefined {
  const ids = new Set(rows.map((row) => row.registration_id));
  return rows.find(({ replaced_by_registration_id: by }) => by === null || !ids.has(by));
}

const matches = (row: RegistrationRow, request: RegistrationRequest): boolean =>
  row.address === request.address &&
  row.owner_principal_id === request.ownerPrincipalId &&
  row.mailbox_kind === request.kind &&
  row.mailbox_path === request.mailboxPath &&
  row.mailbox_entry_path === request.entryPath;
