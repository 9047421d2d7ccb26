import { join, resolve } from 'node:path';
import type { Clock } from '../../../foundation/clock.js';
import { inspectRoot } from '../../../mail/filesystem/admin/inspect-root.js';
import type { SymlinkMode } from '../../../mail/filesystem/export/export-artifacts.js';
import { artifactLists, exportRoot } from '../../../mail/filesystem/export/export-root.js';
import type { MailRoot } from '../../../mail/filesystem/mailbox/mail-root.js';
import { openMailRoot } from '../../../mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../mail/filesystem/registration/bootstrap.js';
import { repairRoot } from '../../../mail/filesystem/repair/repair.js';
import { protocolVersion } from '../../../mail/message/mail-message.js';
import type { ChosenRoot } from '../../flags/mailbox-flags.js';
import { withHome } from '../../flags/options.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { exportedLines, repairLines, rootLines } from '../../words/mailbox-words.js';
import { interruptible, type Output } from '../../words/terminal-output.js';

/** The mailbox root of a command, and its output. */
export interface RootCall {
  chosen: ChosenRoot;
  clock: Clock;
  output: Output;
}

/** Does work on the root and prints its answer, with the reason why this root was chosen. */
export async function withRoot<Answer extends object>(
  { chosen, clock, output }: RootCall,
  work: (root: MailRoot) => Promise<{ answer: Answer; lines: string[] }>,
): Promise<void> {
  const root = openMailRoot(chosen.path, clock);
  try {
    const { answer, lines } = await work(root);
    output.result({ ...answer, mailbox_root_detail: chosen.detail }, lines);
  } finally {
    root.close();
  }
}

/** `mailbox init`. */
export const initRoot = (call: RootCall): Promise<void> =>
  withRoot(call, async (root) => {
    await bootstrap(root);
    const { root: path, index, rules, mailboxes } = root.paths;
    return {
      answer: {
        schema_version: 1,
        mailbox_root: path,
        bootstrapped: true,
        supported: true,
        protocol_version: protocolVersion,
        sqlite_path: index,
        rules_dir: rules,
        mailboxes_dir: mailboxes,
        status: 'ready',
      },
      lines: [`The mailbox root ${path} is ready.`],
    };
  });

/** `mailbox status`: does not fail, whatever it finds. */
export const rootStatus = (call: RootCall): Promise<void> =>
  withRoot(call, async (root) => {
    const sight = await inspectRoot(root);
    return {
      answer: {
        schema_version: 1,
        mailbox_root: root.paths.root,
        exists: sight.exists,
        bootstrapped: sight.bootstrapped,
        supported: sight.supported,
        protocol_version: sight.protocolVersion,
        registration_counts: sight.registrations,
        structural_state_readable: sight.registrations !== null,
        error: sight.trouble,
      },
      lines: rootLines(root.paths.root, sight).map((line) => call.output.pastable(line)),
    };
  });

export interface RepairFlags {
  cleanupStaging: boolean;
  removeStaging?: boolean;
}

/** `mailbox repair`. */
export const repair = (call: RootCall, flags: RepairFlags): Promise<void> =>
  withRoot(call, async (root) => {
    const staging = !flags.cleanupStaging ? 'leave' : flags.removeStaging ? 'remove' : 'quarantine';
    const result = await repairRoot(root, { staging });
    return {
      answer: {
        schema_version: 1,
        mailbox_root: root.paths.root,
        ok: true,
        message_count: result.messageCount,
        projection_count: result.projectionCount,
        registration_count: result.registrationCount,
        restored_state_count: result.restoredStateCount,
        defaulted_state_count: result.defaultedStateCount,
        staging_action: staging,
        staging_artifact_count: result.stagingPaths.length,
        staging_artifact_paths: result.stagingPaths,
        backed_up_index_path: result.backedUpIndex,
        damaged: result.damaged,
        forgotten: result.forgotten,
      },
      lines: repairLines(root.paths.root, result, join(root.paths.staging, 'quarantine')),
    };
  });

interface ExportFlags {
  outputDir: string;
  allAccounts?: boolean;
  address?: string[];
  symlinkMode: SymlinkMode;
}

/** `mailbox export`. */
export const exportArchive = (call: RootCall, flags: ExportFlags): Promise<void> =>
  withRoot(call, async (root) => {
    const { allAccounts = false, address: addresses = [], symlinkMode } = flags;
    if (allAccounts === addresses.length > 0)
      throw new CommandFailure('Whose mail? Give --address (repeatable) or --all-accounts.', exitCodes.usage);
    const outputDir = resolve(withHome(flags.outputDir));
    const wanted = { outputDir, symlinkMode, addresses: allAccounts ? null : addresses };
    const done = await interruptible((signal) =>
      exportRoot(root, { ...wanted, signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw new CommandFailure('Stopped; nothing was exported.', exitCodes.stopped);
      }),
    );
    const { plan, artifacts } = done;
    return {
      answer: {
        schema_version: 1,
        mailbox_root: root.paths.root,
        output_dir: done.outputDir,
        symlink_mode: symlinkMode,
        all_accounts: allAccounts,
        selected_addresses: done.addresses,
        account_count: plan.accounts.length,
        message_count: plan.messages.length,
        attachment_count: plan.attachments.length,
        manifest_path: done.manifestPath,
        ...artifactLists(artifacts),
      },
      lines: exportedLines(done.outputDir, plan, artifacts),
    };
  });
