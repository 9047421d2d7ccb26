import type { RegistrationRow } from '../tables/registration-table.js';
import type { RegistrationRequest } from './registration-request.js';

export interface RegistrationFacts {
  /** The active row of the address. */
  active: RegistrationRow | undefined;
  /** Rows whose entry in `mailboxes/` is the one asked for, the newest first. */
  atEntry: readonly RegistrationRow[];
  /** The active row of whatever address that has the folder asked for. */
  atPath: RegistrationRow | undefined;
  /** What stands at the entry: nothing; what can be used as it is, for nothing of value is in it; anything else. */
  onDisk: 'nothing' | 'usable' | 'occupied';
}

/** What becomes of what stands at the entry. */
export type Displaced = 'stash' | 'remove' | 'keep';

export type RegistrationPlan =
  | { do: 'refuse'; reason: string }
  | { do: 'confirm'; row: RegistrationRow }
  | { do: 'reactivate'; row: RegistrationRow }
  | { do: 'create'; replaces: RegistrationRow | null; displaced: Displaced };

const ways = 'mode force replaces it, mode stash sets it aside';

/** What a registration does. Nothing of value is taken away in mode `safe` (docs/decisions.md#registrations). */
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

/** Rows of one second have no order of their own, but one that was replaced is older than the one that replaced it. */
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
