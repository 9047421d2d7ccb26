import { resolve } from 'node:path';
import type { SymlinkMode } from '../../../mail/filesystem/export/export-messages.js';
import { artifactLists, exportRoot } from '../../../mail/filesystem/export/export-root.js';
import { withHome } from '../../flags/given-file.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { exportedLines } from '../../words/mailbox-words.js';
import { interruptible } from '../interruptible.js';
import { type RootCall, withRoot } from './root.js';

export interface ExportFlags {
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
        ...{ schema_version: 1, mailbox_root: root.paths.root, output_dir: done.outputDir },
        ...{ symlink_mode: symlinkMode, all_accounts: allAccounts, selected_addresses: done.addresses },
        ...{ account_count: plan.accounts.length, message_count: plan.messages.length },
        ...{ attachment_count: plan.attachments.length, manifest_path: done.manifestPath },
        ...artifactLists(artifacts),
      },
      lines: exportedLines(done.outputDir, plan, artifacts),
    };
  });
