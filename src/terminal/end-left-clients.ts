import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isAlive } from '../foundation/process-identity.js';
import { linuxProcessStat } from '../foundation/process-stat.js';
import { signalProcess } from '../foundation/signals.js';
import { type ClientProcess, leftClients, ownerIn } from './control-client.js';

/**
 * Ends the connections that killed gateways left at any tmux server. They are looked for among the processes: tmux lists none
 * whose session has ended. Linux only; elsewhere it ends none.
 * @returns the pids of those that were told to end.
 */
export function endLeftClients(): number[] {
  if (process.platform !== 'linux') return [];
  const clients = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readClient(Number(name)) ?? []);
  return leftClients(clients)
    .map(({ pid }) => pid)
    .filter((pid) => unlessAbsent(() => signalProcess(pid, 'SIGTERM')));
}

function readClient(pid: number): ClientProcess | null {
  const folder = `/proc/${pid}`;
  const read = (name: string): string => readFileSync(`${folder}/${name}`, 'latin1');
  return unlessAbsent(() => {
    if (read('comm') !== 'tmux: client\n') return null;
    const parent = linuxProcessStat(pid)?.parent;
    if (parent === undefined) return null;
    const owner = ownerIn(read('environ'));
    return {
      ...{ pid, parent, owner },
      args: read('cmdline').split('\0'),
      ownerLives: owner !== null && isAlive(owner),
      sharesPids: readlinkSync(`${folder}/ns/pid`) === readlinkSync('/proc/self/ns/pid'),
    };
  });
}

/** Null for a process that is gone meanwhile, or somebody else's. */
function unlessAbsent<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null;
    throw error;
  }
}
