import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isAlive, linuxProcessStat, type ProcessIdentity, signalProcess } from '../foundation/processes.js';

// The `tmux` program behind a connection in control mode: how it is started, and how another gateway tells that its owner was
// killed and left it (docs/decisions.md#connections-left-behind).

/** Names the process that the connection belongs to. tmux gives it to no pane: an attach copies named variables only. */
const ownerVariable = 'HOUMAO_TMUX_OWNER';

/** What no person types: a client in control mode that a person started is told from ours by it, whatever its environment. */
const attachment = ['-u', '-C', 'attach-session', '-f'];
/** With and without what programs write. */
const flags = { hearing: 'ignore-size', deaf: 'ignore-size,no-output' } as const;

/** @param session null for whichever session there is. */
export const controlArguments = (
  socketPath: string | null,
  session: string | null,
  hears: keyof typeof flags,
): string[] => [
  // An attach would start a server where there is none, and that one would keep our environment for all its panes.
  '-N',
  ...(socketPath === null ? [] : ['-S', socketPath]),
  ...attachment,
  flags[hears],
  ...(session === null ? [] : ['-t', `=${session}`]),
];

export const ownerMark = ({ pid, startedAt }: ProcessIdentity): Record<string, string> => ({
  [ownerVariable]: `${pid}:${startedAt}`,
});

/** @param environment as Linux shows it: variables that end with NUL. @returns null where no owner is named. */
export function ownerIn(environment: string): ProcessIdentity | null {
  const [, pid, startedAt = ''] =
    new RegExp(`(?:^|\0)${ownerVariable}=(\\d+):(\\d+)\0`).exec(environment) ?? [];
  return pid === undefined ? null : { pid: Number(pid), startedAt };
}

/** A process that tmux calls its client. */
export interface ClientProcess {
  pid: number;
  parent: number;
  args: readonly string[];
  owner: ProcessIdentity | null;
  ownerLives: boolean;
  /** Whether pids mean the same to it as to us: in a container its owner has another one than here. */
  sharesPids: boolean;
}

/**
 * Those that are connections of a gateway which has ended. Its end alone would tell; that the parent is another process too
 * is seen at the client itself, so that an owner which merely cannot be looked at loses nothing.
 */
export const leftClients = (clients: readonly ClientProcess[]): ClientProcess[] =>
  clients.filter(
    ({ args, owner, ownerLives, parent, sharesPids }) =>
      isControlClient(args) && sharesPids && owner !== null && !ownerLives && parent !== owner.pid,
  );

const isControlClient = (args: readonly string[]): boolean =>
  Object.values(flags).some((flag) =>
    args.some((_, start) =>
      [...attachment, flag].every((argument, index) => args[start + index] === argument),
    ),
  );

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
      pid,
      parent,
      owner,
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
