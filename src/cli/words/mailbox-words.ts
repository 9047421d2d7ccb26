import { basename } from 'node:path';
import { counted, sanitiseLine } from '../../foundation/text.js';
import type { CleanupItem } from '../../mail/filesystem/admin/cleanup.js';
import type { ClearedItem } from '../../mail/filesystem/admin/clear-messages.js';
import type { RootState, StoredMessage } from '../../mail/filesystem/admin/inspect-root.js';
import type { Artifact, ExportPlan } from '../../mail/filesystem/export/export-plan.js';
import type { Registered } from '../../mail/filesystem/registration/register.js';
import type { RepairResult } from '../../mail/filesystem/repair/repair.js';
import type { ProjectedRow } from '../../mail/filesystem/tables/projection-table.js';
import type { RegistrationRow } from '../../mail/filesystem/tables/registration-table.js';
import type { TimeWords } from './local-time.js';
import { table } from './terminal-output.js';

const indented = (rows: readonly (readonly [string, string])[]): string[] =>
  table(rows.filter(([, value]) => value !== '')).map((line) => `  ${line}`);

export function rootLines(root: string, sight: RootState): string[] {
  if (!sight.exists)
    return [`${root} does not exist yet; create it: houmao-mgr mailbox init --mailbox-root ${root}`];
  const { registrations } = sight;
  return [
    `${root} ${sight.trouble !== null ? 'cannot be used' : sight.bootstrapped ? 'is ready' : 'is not a mailbox root yet'}.`,
    ...indented([
      ['trouble', sanitiseLine(sight.trouble ?? '')],
      [
        'registrations',
        registrations === null
          ? ''
          : `${registrations.active} active, ${registrations.inactive} inactive, ${registrations.stashed} stashed`,
      ],
    ]),
  ];
}

export function repairLines(root: string, result: RepairResult, quarantine: string): string[] {
  return [
    `Repaired ${root}.`,
    ...indented([
      ['messages', String(result.messageCount)],
      ['registrations', String(result.registrationCount)],
      ['states', `${result.restoredStateCount} kept, ${result.defaultedStateCount} reset`],
      ['old index', result.backedUpIndex ?? ''],
      [
        'staging',
        result.stagingPaths.length === 0 ? '' : `${result.stagingPaths.length} left over (${quarantine})`,
      ],
    ]),
    ...result.forgotten.map(
      (path) => `removed from the index, as its file is missing: ${sanitiseLine(path)}`,
    ),
    ...result.damaged.map(({ path, reason }) => `left as it is: ${sanitiseLine(`${path}: ${reason}`)}`),
  ];
}

export function registeredLines({ registration, reusedExisting, replaced, stashed }: Registered): string[] {
  const { address, owner_principal_id, mailbox_path } = registration;
  return [
    `${address} belongs to ${sanitiseLine(owner_principal_id)}${reusedExisting ? ', as before' : ''}.`,
    ...indented([
      ['folder', mailbox_path],
      ['replaced', replaced?.registration_id ?? ''],
      ['set aside', stashed?.entryPath ?? ''],
    ]),
  ];
}

export function cleanupLines(items: readonly CleanupItem[], dryRun: boolean): string[] {
  const over = items.filter(({ fate }) => fate !== 'keep');
  if (over.length === 0) return ['There is nothing to clean up.'];
  return table(
    over.map(({ row, fate, reason }) => [
      fate === 'blocked' ? 'left' : dryRun ? 'would be removed' : 'removed',
      ...[sanitiseLine(row.address), row.registration_id, row.status],
      fate === 'blocked' ? sanitiseLine(reason) : '',
    ]),
  );
}

export function clearedLines(items: readonly ClearedItem[], dryRun: boolean): string[] {
  const messages = items.filter(({ kind, goes }) => kind === 'canonical_message' && goes).length;
  return [
    `${dryRun ? 'Would remove' : 'Removed'} ${counted(messages, 'message')}.`,
    ...items.filter(({ goes }) => !goes).map(({ path }) => `left as it is: ${sanitiseLine(path)}`),
  ];
}

/** @param kept the number of messages that other accounts have, too. */
export const accountClearedLines = (
  address: string,
  items: readonly ClearedItem[],
  kept: number,
  dryRun: boolean,
): string[] => {
  const links = items.filter(({ kind, goes }) => kind === 'mailbox_projection' && goes);
  const count = new Set(links.map(({ path }) => basename(path))).size;
  return [
    `${dryRun ? 'Would remove' : 'Removed'} ${counted(count, 'message')} from the boxes of ${address}.`,
    ...(kept === 0 ? [] : [`${kept} of them ${kept === 1 ? 'stays' : 'stay'} for others who have it too.`]),
    ...items.filter(({ goes }) => !goes).map(({ path }) => `left as it is: ${sanitiseLine(path)}`),
  ];
};

export function exportedLines(folder: string, plan: ExportPlan, artifacts: readonly Artifact[]): string[] {
  const left = artifacts.filter(({ outcome }) => outcome === 'blocked');
  return [
    `Exported to ${folder}.`,
    ...indented([
      ['accounts', String(plan.accounts.length)],
      ['messages', String(plan.messages.length)],
      ['attachments', plan.attachments.length === 0 ? '' : String(plan.attachments.length)],
      ['not exported', left.length === 0 ? '' : String(left.length)],
    ]),
    ...left.map(({ source, reason }) => `not exported: ${sanitiseLine(`${source}: ${reason}`)}`),
  ];
}

export const accountTable = (rows: readonly RegistrationRow[], time: TimeWords): string[] =>
  table([
    ['ADDRESS', 'OWNER', 'STATUS', 'KIND', 'SINCE'],
    ...rows.map((row) => [
      ...[sanitiseLine(row.address), sanitiseLine(row.owner_principal_id)],
      ...[row.status, row.mailbox_kind, time(row.created_at_utc)],
    ]),
  ]);

export const accountLines = (row: RegistrationRow, time: TimeWords): string[] => [
  `${row.address}  ${row.status}`,
  ...indented([
    ['owner', sanitiseLine(row.owner_principal_id)],
    ['name', sanitiseLine(row.display_name ?? '')],
    ['role', sanitiseLine(row.role ?? '')],
    ['folder', row.mailbox_path],
    ['entry', row.mailbox_entry_path === row.mailbox_path ? '' : row.mailbox_entry_path],
    ['manifest', row.manifest_path_hint ?? ''],
    ['registration', row.registration_id],
    ['since', time(row.created_at_utc)],
    ['until', row.deactivated_at_utc === null ? '' : time(row.deactivated_at_utc)],
    ['replaced by', row.replaced_by_registration_id ?? ''],
  ]),
];

export const storedTable = (address: string, rows: readonly ProjectedRow[], time: TimeWords): string[] =>
  rows.length === 0
    ? [`${address} has no mail.`]
    : table([
        ['MESSAGE', 'WRITTEN', 'BOX', 'FROM', 'SUBJECT'],
        ...rows.map((row) => [
          ...[row.message_id, time(row.created_at_utc), sanitiseLine(row.folder_name)],
          ...[sanitiseLine(row.sender_address), sanitiseLine(row.subject)],
        ]),
      ]);

/** Prints a stored message; the document itself comes last, after an empty line. */
export const storedLines = (
  { projection, message, recipients, attachments }: StoredMessage,
  time: TimeWords,
): string[] => [
  `${message.message_id}  ${sanitiseLine(message.subject)}`,
  ...indented([
    ['from', sanitiseLine(message.sender_address)],
    ...recipients.map((one): [string, string] => [one.recipient_kind, sanitiseLine(one.address)]),
    ['written', time(message.created_at_utc)],
    ['box', sanitiseLine(projection.folder_name)],
    ['file', message.canonical_path],
    ...attachments.map((file): [string, string] => ['attached', sanitiseLine(file.locator)]),
  ]),
  '',
  message.body_markdown.trimEnd(),
];
