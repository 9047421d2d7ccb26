import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import { UnusableFile } from '../../../foundation/faults.js';
import { hasSurelyEnded } from '../../../foundation/processes.js';
import { unreadable } from '../../../foundation/system-fault.js';
import { MailFault } from '../../message/mail-fault.js';
import type { MailPaths } from './mail-paths.js';

const carrierSchema = z.object({
  version: z.literal(1),
  host: z.string(),
  hosts: z.array(z.string()),
  pid: z.number().int(),
  started_at: z.string(),
});

/** The server that carries the mail of a root to other hosts. */
export interface Carrier {
  /** The name of this host in its fleet. */
  readonly host: string;
  /** The other hosts that it knows. */
  readonly hosts: readonly string[];
  readonly process: { readonly pid: number; readonly startedAt: string };
}

const fileOf = ({ root }: Pick<MailPaths, 'root'>): string => join(root, 'fleet.json');

/** Reads which server carries the mail of a root; null where none ever did. @throws {UnusableFile} */
export function readCarrier(paths: Pick<MailPaths, 'root'>): Carrier | null {
  const file = fileOf(paths);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(file, error);
  }
  const read = carrierSchema.safeParse(jsonOf(text));
  if (!read.success)
    throw new UnusableFile(
      file,
      'does not say which server carries mail to other hosts',
      'move it aside, and the server writes it again',
    );
  const { host, hosts, pid, started_at } = read.data;
  return { host, hosts, process: { pid, startedAt: started_at } };
}

/** Says that a server carries the mail of a root. */
export function writeCarrier(paths: Pick<MailPaths, 'root'>, { host, hosts, process }: Carrier): void {
  const value = { version: 1, host, hosts, pid: process.pid, started_at: process.startedAt };
  writeFileAtomic(fileOf(paths), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o644 });
}

/** Whether two servers say the same. */
export const isSameCarrier = (one: Carrier, other: Carrier): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Whether a host leaves the mail of a root to the server that says so there: to that of another host, until it has ended. */
export const isLeftTo = (carrier: Carrier, host: string): boolean =>
  carrier.host !== host && !hasSurelyEnded(carrier.process);

/**
 * Returns the server that carries mail of a root to a host.
 * @throws {MailFault} where mail to that host would lie here: nothing carries it.
 */
export function carrierTo(paths: Pick<MailPaths, 'root'>, host: string, address: string): Carrier {
  const carrier = readCarrier(paths);
  if (carrier === null)
    throw new MailFault(
      'recipient_unknown',
      `${address} has no mailbox here, and no server carries mail from ${paths.root} to other hosts; start the server of this host in a fleet (houmao-mgr fleet join)`,
    );
  if (hasSurelyEnded(carrier.process))
    throw new MailFault(
      'unreachable',
      `the server of this host, which carries mail to ${host}, does not run; start it again`,
    );
  if (!carrier.hosts.includes(host))
    throw new MailFault(
      'recipient_unknown',
      `${address}: the fleet has no host ${host}, as far as this host knows; it has ${carrier.hosts.join(', ') || 'no other one'}`,
    );
  return carrier;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
