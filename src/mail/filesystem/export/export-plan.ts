import { isMessageId } from '../../message/message-id.js';
import { standardBoxes } from '../root/mail-paths.js';
import type { LinkedAttachment, MessageHeading } from '../tables/message-table.js';
import type { ProjectionRow } from '../tables/projection-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';

/** The rows of a root's index at one moment. */
export interface RootRows {
  registrations: RegistrationRow[];
  messages: MessageHeading[];
  projections: ProjectionRow[];
  attachments: LinkedAttachment[];
}

/** Something of a root with its place in the archive; null where its own names allow none. Places are relative, with `/`. */
export interface PlacedRow<Row> {
  row: Row;
  place: string | null;
}

export interface ExportPlan {
  accounts: (PlacedRow<RegistrationRow> & { boxes: string[] })[];
  messages: PlacedRow<MessageHeading>[];
  projections: (PlacedRow<ProjectionRow> & {
    account: RegistrationRow;
    message: PlacedRow<MessageHeading>;
  })[];
  attachments: PlacedRow<LinkedAttachment>[];
}

/**
 * Pure: decides what an export contains, and its places in the archive. The names in an index may come from anyone: one
 * that is no file name has no place.
 * @param addresses null for all of them, and for messages that no account has.
 */
export function planExport(rows: RootRows, addresses: readonly string[] | null): ExportPlan {
  const accounts = rows.registrations
    .filter(({ address }) => addresses === null || addresses.includes(address))
    .map((row) => ({ row, place: placeOf('accounts', row.address, row.registration_id) }));
  const accountOf = new Map(accounts.map((account) => [account.row.registration_id, account]));
  const links = rows.projections.filter(({ registration_id: id }) => accountOf.has(id));
  const seen = addresses === null ? null : new Set(links.map(({ message_id: id }) => id));
  const messages = new Map(
    rows.messages
      .filter(({ message_id: id }) => seen === null || seen.has(id))
      .map((row) => [row.message_id, { row, place: messagePlace(row) }]),
  );
  const projections = links.flatMap((row) => {
    const account = accountOf.get(row.registration_id);
    const message = messages.get(row.message_id);
    if (!account || !message) return [];
    const place = isMessageId(row.message_id)
      ? placeOf(account.place, row.folder_name, `${row.message_id}.md`)
      : null;
    return [{ row, place, account: account.row, message }];
  });
  return {
    accounts: accounts.map((account) => ({ ...account, boxes: boxesOf(account, projections) })),
    messages: [...messages.values()],
    projections,
    attachments: rows.attachments
      .filter(({ message_id: id }) => messages.has(id))
      .map((row) => ({ row, place: attachmentPlace(row) })),
  };
}

const isName = (text: string): boolean => !['', '.', '..'].includes(text) && !/[/\\\0]/.test(text);

/** @param first null where the parent has no place either. */
const placeOf = (first: string | null, ...names: readonly string[]): string | null =>
  first !== null && names.every(isName) ? [first, ...names].join('/') : null;

function messagePlace({ message_id: id, created_at_utc: written }: MessageHeading): string | null {
  const day = written.slice(0, 10);
  return isMessageId(id) && /^\d{4}-\d\d-\d\d$/.test(day) ? placeOf('messages', day, `${id}.md`) : null;
}

/** Returns a place for copies that the root keeps; the other attachments are only reported. */
function attachmentPlace({ kind, attachment_id: id, locator }: LinkedAttachment): string | null {
  if (kind !== 'managed_copy') return null;
  return placeOf('attachments/managed', id, locator.split('/').at(-1) ?? '');
}

function boxesOf({ row, place }: PlacedRow<RegistrationRow>, links: ExportPlan['projections']): string[] {
  if (place === null) return [];
  const used = links
    .filter((link) => link.place !== null && link.account.registration_id === row.registration_id)
    .map((link) => link.row.folder_name);
  return [...new Set([...standardBoxes, ...used])];
}

/** The result for one thing that an export found. */
export interface Artifact {
  outcome: 'copied' | 'materialized' | 'preserved_symlink' | 'skipped' | 'blocked';
  kind:
    | 'canonical_message'
    | 'mailbox_projection'
    | 'mailbox_local_state'
    | 'mailbox_registration'
    | AttachmentKind;
  reason: string;
  source: string;
  /** Its place in the archive; null where it has none. */
  place: string | null;
  /** The account, message or attachment that it belongs to. */
  of: {
    address?: string;
    registration_id?: string;
    registration_status?: string;
    message_id?: string;
    attachment_id?: string;
  };
}

type AttachmentKind = 'managed_attachment' | 'path_ref_attachment';
