import { type CleanupItem, cleanUp } from '../../../mail/filesystem/admin/cleanup.js';
import { cleanupLines } from '../../words/mailbox-words.js';
import { type RootCall, withRoot } from './root.js';

export interface CleanupFlags {
  inactiveOlderThanSeconds: number;
  stashedOlderThanSeconds: number;
  dryRun?: boolean;
}

/** `mailbox cleanup`. */
export const cleanup = (call: RootCall, flags: CleanupFlags): Promise<void> =>
  withRoot(call, async (root) => {
    const { dryRun = false } = flags;
    const items = await cleanUp(root, {
      ...{ inactiveSeconds: flags.inactiveOlderThanSeconds, dryRun },
      stashedSeconds: flags.stashedOlderThanSeconds,
    });
    const of = (fate: CleanupItem['fate']) => items.filter((item) => item.fate === fate).map(actionOf);
    const planned = dryRun ? of('remove') : [];
    const applied = dryRun ? [] : of('remove');
    const preserved = [...of('keep'), messagesOf(root.paths.messages)];
    const blocked = of('blocked');
    return {
      answer: {
        ...{ schema_version: 1, dry_run: dryRun },
        ...{ scope: { kind: 'mailbox_cleanup', mailbox_root: root.paths.root } },
        ...{ resolution: { authority: 'mailbox_root' }, planned_actions: planned, applied_actions: applied },
        ...{ blocked_actions: blocked, preserved_actions: preserved },
        summary: {
          ...{ planned_count: planned.length, applied_count: applied.length },
          ...{ blocked_count: blocked.length, preserved_count: preserved.length },
        },
      },
      lines: cleanupLines(items, dryRun),
    };
  });

const actionOf = ({ row, fate, reason, withEntry }: CleanupItem) => ({
  artifact_kind: row.status === 'active' ? 'active_registration' : 'mailbox_registration',
  path: row.mailbox_entry_path,
  proposed_action: fate === 'keep' ? 'preserve' : 'remove',
  reason: fate === 'remove' && !withEntry ? `${reason}; its folder is another registration's by now` : reason,
  details: {
    ...{ address: row.address, registration_id: row.registration_id, registration_status: row.status },
  },
});

const messagesOf = (path: string) => ({
  ...{ artifact_kind: 'canonical_messages', path, proposed_action: 'preserve' },
  reason: 'messages always stay',
});
