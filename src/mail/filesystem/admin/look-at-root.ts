import { existsSync } from 'node:fs';
import { MailFault } from '../../message/mail-fault.js';
import { protocolVersion } from '../../message/mail-message.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { checkRoot } from '../root/stale-root.js';
import { whenFree } from '../root/when-free.js';
import type { RegistrationStatus } from '../tables/registration-table.js';

export interface RootSight {
  exists: boolean;
  /** Whether it has its marker and its index. */
  bootstrapped: boolean;
  /** Whether it is of this format, or may become so. */
  supported: boolean;
  /** Null while there is no marker of this format. */
  protocolVersion: number | null;
  /** How many registrations there are; null where that cannot be read. */
  registrations: Record<RegistrationStatus, number> | null;
  /** What is wrong with it; null where nothing is. */
  trouble: string | null;
}

/** How a root is, whatever is there: it changes nothing and fails for nothing that stands in the root. */
export async function lookAtRoot(root: MailRoot): Promise<RootSight> {
  const { paths } = root;
  const marked = existsSync(paths.marker);
  const indexed = existsSync(paths.index);
  const plain = { exists: existsSync(paths.root), bootstrapped: marked && indexed };
  try {
    const registrations = await root.attempt(() => readRoot(root, indexed));
    const version = marked ? protocolVersion : null;
    return { ...plain, supported: true, protocolVersion: version, registrations, trouble: null };
  } catch (error) {
    if (!(error instanceof MailFault)) throw error;
    const supported = error.code !== 'root_unusable';
    return { ...plain, supported, protocolVersion: null, registrations: null, trouble: error.message };
  }
}

const readRoot = (root: MailRoot, indexed: boolean): Promise<RootSight['registrations']> =>
  whenFree(root.clock, root.paths.index, () => {
    const counts = { active: 0, inactive: 0, stashed: 0 };
    checkRoot(root.paths, root.index.database);
    for (const { status } of indexed ? root.index.registrations.statuses() : []) counts[status] += 1;
    return counts;
  });
