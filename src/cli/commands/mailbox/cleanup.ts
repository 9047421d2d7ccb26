import { type CleanupItem, cleanUp } from '../../../mail/filesystem/admin/cleanup.js';
import {
  type ClearedItem,
  clearAccount,
  clearMessages,
} from '../../../mail/filesystem/admin/clear-messages.js';
import type { RegistrationRow } from '../../../mail/filesystem/tables/registration-table.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { accountClearedLines, cleanupLines, clearedLines } from '../../words/mailbox-words.js';
import { type RootCall, withRoot } from './root.js';

export interface CleanupFlags {
  inactiveOlderThanSeconds: number;
  stashedOlderThanSeconds: number;
  dryRun?: boolean;
  yes?: boolean;
}

/** `mailbox cleanup`. */
export const cleanup = (call: RootCall, flags: CleanupFlags): Promise<void> =>
  withRoot(call, async (root) => {
    const { dryRun = false, yes = false } = flags;
    if (!dryRun && !yes)
      throw new CommandFailure(
        `This would remove the boxes of ended registrations from ${root.paths.root}, and the record of who received which message; add --yes to do it, or --dry-run to list them.`,
        exitCodes.usage,
      );
    const items = await cleanUp(root, {
      inactiveSeconds: flags.inactiveOlderThanSeconds,
      dryRun,
      stashedSeconds: flags.stashedOlderThanSeconds,
    });
    const of = (fate: CleanupItem['fate']) => items.filter((item) => item.fate === fate).map(actionOf);
    return {
      answer: payload(
        { kind: 'mailbox_cleanup', mailbox_root: root.paths.root },
        {
          dryRun,
          removed: of('remove'),
          blocked: of('blocked'),
          preserved: [...of('keep'), messagesOf(root.paths.messages)],
        },
      ),
      lines: cleanupLines(items, dryRun),
    };
  });

const actionOf = ({ row, fate, reason, withEntry }: CleanupItem) => ({
  artifact_kind: row.status === 'active' ? 'active_registration' : 'mailbox_registration',
  path: row.mailbox_entry_path,
  proposed_action: fate === 'keep' ? 'preserve' : 'remove',
  reason:
    fate === 'remove' && !withEntry ? `${reason}; its folder now belongs to another registration` : reason,
  details: {
    address: row.address,
    registration_id: row.registration_id,
    registration_status: row.status,
  },
});

const messagesOf = (path: string) => ({
  artifact_kind: 'canonical_messages',
  path,
  proposed_action: 'preserve',
  reason: 'messages always stay',
});

/** `mailbox clear-messages`. */
export const clearAllMessages = (
  call: RootCall,
  { dryRun = false, yes = false }: { dryRun?: boolean; yes?: boolean },
): Promise<void> =>
  withRoot(call, async (root) => {
    if (!dryRun && !yes)
      throw new CommandFailure(
        `This would delete every message in ${root.paths.root}; add --yes to do it, or --dry-run to list them.`,
        exitCodes.usage,
      );
    const { items, registrations } = await clearMessages(root, dryRun);
    return {
      answer: payload(
        { kind: 'mailbox_message_clear', mailbox_root: root.paths.root },
        {
          dryRun,
          removed: items.filter(({ goes }) => goes).map(clearedAction),
          blocked: items.filter(({ goes }) => !goes).map(clearedAction),
          preserved: registrations.map(registrationKept),
        },
      ),
      lines: clearedLines(items, dryRun),
    };
  });

/** `mailbox messages clear`. */
export const clearAccountMessages = (
  call: RootCall,
  { address, dryRun = false, yes = false }: { address: string; dryRun?: boolean; yes?: boolean },
): Promise<void> =>
  withRoot(call, async (root) => {
    if (!dryRun && !yes)
      throw new CommandFailure(
        `This would delete every message of ${address}; add --yes to do it, or --dry-run to list them.`,
        exitCodes.usage,
      );
    const { registration, items, kept } = await clearAccount(root, address, dryRun);
    return {
      answer: payload(
        {
          kind: 'mailbox_account_message_clear',
          mailbox_root: root.paths.root,
          address: registration.address,
          registration_id: registration.registration_id,
        },
        {
          dryRun,
          removed: items.filter(({ goes }) => goes).map(clearedAction),
          blocked: items.filter(({ goes }) => !goes).map(clearedAction),
          preserved: [
            registrationKept(registration),
            ...kept.map(({ canonical_path, message_id }) => ({
              artifact_kind: 'canonical_message',
              path: canonical_path,
              proposed_action: 'preserve',
              reason: 'others have it too',
              details: { message_id },
            })),
          ],
        },
      ),
      lines: accountClearedLines(registration.address, items, kept.length, dryRun),
    };
  });

const registrationKept = ({ mailbox_entry_path, address, registration_id, status }: RegistrationRow) => ({
  artifact_kind: 'mailbox_registration',
  path: mailbox_entry_path,
  proposed_action: 'preserve',
  reason: 'registrations stay',
  details: { address, registration_id, registration_status: status },
});

const left: Readonly<Record<ClearedItem['kind'], string>> = {
  canonical_message: 'it is not a message of this root',
  mailbox_projection: 'it is not a link of its mailbox',
  managed_attachment: 'it is not a copy of this root',
  mailbox_local_state: 'its mailbox is not in this root, which may have been copied',
};

const clearedAction = ({ kind, path, goes }: ClearedItem) => ({
  artifact_kind: kind,
  path,
  proposed_action: 'remove',
  reason: goes ? 'it belongs to the messages' : left[kind],
});

/** Builds the answer: the actions of a dry run are `planned`, those of a real run are `applied`. */
function payload(
  scope: object,
  found: { dryRun: boolean; removed: object[]; blocked: object[]; preserved: object[] },
) {
  const [planned, applied] = found.dryRun ? [found.removed, []] : [[], found.removed];
  return {
    schema_version: 1,
    dry_run: found.dryRun,
    scope,
    resolution: { authority: 'mailbox_root' },
    planned_actions: planned,
    applied_actions: applied,
    blocked_actions: found.blocked,
    preserved_actions: found.preserved,
    summary: {
      planned_count: planned.length,
      applied_count: applied.length,
      blocked_count: found.blocked.length,
      preserved_count: found.preserved.length,
    },
  };
}
