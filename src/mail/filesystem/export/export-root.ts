import { existsSync } from 'node:fs';
import { toMicrosecondZulu } from '../../../foundation/clock.js';
import { toJsonFile } from '../../../foundation/json-text.js';
import { MailFault } from '../../message/mail-fault.js';
import { protocolVersion } from '../../message/mail-message.js';
import { parseAddress } from '../../message/names.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { ArchiveFolder } from './archive-folder.js';
import {
  accountEntry,
  exportAccounts,
  exportAttachments,
  exportMessages,
  exportProjections,
  type SymlinkMode,
} from './export-artifacts.js';
import { type Artifact, type ExportPlan, planExport, type RootRows } from './export-plan.js';

export interface ExportOptions {
  /** Must not exist yet. */
  outputDir: string;
  /** Null for every account, and for messages that no account has. */
  addresses: readonly string[] | null;
  symlinkMode: SymlinkMode;
  /** Ends the export; nothing is exported then. */
  signal?: AbortSignal;
}

export interface Exported {
  outputDir: string;
  manifestPath: string;
  addresses: string[];
  plan: ExportPlan;
  artifacts: Artifact[];
}

/**
 * Copies accounts of a root, with their messages, into a new folder, which is complete or does not exist. Deliveries wait only
 * while the index is read and states are copied: files in `messages/` do not change any more.
 * @throws {MailRefusal} `output_dir`, `address`; nothing was written then.
 * @throws {MailFault} `not_registered`, `mailbox_damaged` and other faults of a root or a disk.
 */
export const exportRoot = (root: MailRoot, options: ExportOptions): Promise<Exported> =>
  root.work(async () => {
    const { outputDir, symlinkMode } = options;
    const wanted = options.addresses?.map((address) => parseAddress(address, 'address')) ?? null;
    const archive = new ArchiveFolder(outputDir, root.paths.root, options.signal);
    try {
      const { plan, accounts } = await atOnce(root, archive, wanted);
      const messages = await exportMessages(root.paths, archive, plan.messages);
      const artifacts = [
        ...[...accounts, ...messages],
        ...(await exportProjections(archive, plan.projections, messages, symlinkMode)),
        ...(await exportAttachments(root.paths, archive, plan.attachments)),
      ];
      const addresses = wanted ?? [];
      const stamp = toMicrosecondZulu(root.clock.now());
      writeEntries(archive, plan, accounts);
      archive.write(
        'manifest.json',
        toJsonFile(manifestOf(root, { ...options, addresses, plan, artifacts, stamp })),
      );
      await archive.settle();
      return {
        outputDir: archive.path,
        manifestPath: `${archive.path}/manifest.json`,
        addresses,
        plan,
        artifacts,
      };
    } finally {
      archive.discard();
    }
  });

/** Reads what must be consistent: the rows of one moment, and the states of the accounts among them. */
async function atOnce(
  root: MailRoot,
  archive: ArchiveFolder,
  wanted: string[] | null,
): Promise<{ plan: ExportPlan; accounts: Artifact[] }> {
  const addresses = wanted ?? (await read(root)).registrations.map(({ address }) => address);
  return root.locks.withIndex([...new Set(addresses)], async () => {
    const rows = await read(root);
    for (const address of wanted ?? [])
      if (!rows.registrations.some((row) => row.address === address))
        throw new MailFault('not_registered', `${address} has no mailbox here`);
    const plan = planExport(rows, wanted);
    return { plan, accounts: await exportAccounts(root, archive, plan.accounts) };
  });
}

const read = (root: MailRoot): Promise<RootRows> =>
  root.free(() =>
    root.index.database.readAtOnce(() => ({
      registrations: root.index.registrations.all(),
      messages: root.index.messages.headings(),
      projections: root.index.projections.all(),
      attachments: root.index.messages.allAttachments(),
    })),
  );

function writeEntries(archive: ArchiveFolder, plan: ExportPlan, artifacts: readonly Artifact[]): void {
  for (const account of plan.accounts)
    if (account.place !== null)
      archive.write(`${account.place}/account.json`, toJsonFile(accountEntry(account, artifacts)));
}

interface Contents extends ExportOptions {
  addresses: string[];
  plan: ExportPlan;
  artifacts: readonly Artifact[];
  stamp: string;
}

function manifestOf(root: MailRoot, { plan, artifacts, ...of }: Contents): object {
  const { addresses, symlinkMode, stamp } = of;
  const became = new Map(
    artifacts.map((artifact) => [keyOf(artifact.kind, artifact.source, artifact.of.message_id), artifact]),
  );
  const fate = (kind: Artifact['kind'], source: string, id: string) => {
    const { place = null, outcome, reason } = became.get(keyOf(kind, source, id)) ?? {};
    return { archive_path: place, action: outcome, reason };
  };
  return {
    schema_version: 1,
    source_mailbox_root: root.paths.root,
    source_protocol_version: protocolVersion,
    exported_at_utc: stamp,
    symlink_mode: symlinkMode,
    selection: { all_accounts: addresses.length === 0, addresses },
    accounts: plan.accounts.map((account) => accountEntry(account, artifacts)),
    messages: plan.messages.map(({ row: { canonical_path, ...row } }) => ({
      ...row,
      source_path: canonical_path,
      archive_path: fate('canonical_message', canonical_path, row.message_id).archive_path,
    })),
    projections: plan.projections.map(({ row, account }) => ({
      registration_id: row.registration_id,
      address: account.address,
      message_id: row.message_id,
      folder_name: row.folder_name,
      source_path: row.projection_path,
      ...fate('mailbox_projection', row.projection_path, row.message_id),
    })),
    attachments: plan.attachments.map(({ row: { locator, ...row } }) => ({
      ...row,
      source_path: locator,
      target_exists: existsSync(locator),
      ...fate(
        row.kind === 'managed_copy' ? 'managed_attachment' : 'path_ref_attachment',
        locator,
        row.message_id,
      ),
    })),
    ...artifactLists(artifacts),
  };
}

const keyOf = (kind: string, source: string, id: string | undefined): string =>
  JSON.stringify([kind, source, id]);

/** Returns the results by outcome, in the form for manifests and callers. */
export function artifactLists(artifacts: readonly Artifact[]) {
  const of = (outcome: Artifact['outcome']) =>
    artifacts
      .filter((artifact) => artifact.outcome === outcome)
      .map(({ kind, reason, source, place, of: whose }) => ({
        outcome,
        artifact_kind: kind,
        reason,
        source_path: source,
        ...whose,
        ...(place !== null && { archive_path: place }),
      }));
  return {
    copied_artifacts: of('copied'),
    materialized_artifacts: of('materialized'),
    preserved_symlinks: of('preserved_symlink'),
    skipped_artifacts: of('skipped'),
    blocked_artifacts: of('blocked'),
  };
}
