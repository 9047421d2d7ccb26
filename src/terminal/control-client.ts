import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isAlive, linuxProcessStat, type ProcessIdentity, signalProcess } from '../foundation/processes.js';

// The `tmux` program behind a connection in control mode: how it is started, and how another gateway recognizes that its owner
// was killed and left it behind (docs/decisions.md#connections-left-behind).

/** Names the process that the connection belongs to. tmux does not pass it to any pane: an attach copies named variables only. */
const ownerVariable = 'HOUMAO_TMUX_OWNER';

/**
 * Arguments that a person would not type: they distinguish our clients in control mode from those of a person, whatever the
 * environment.
 */
const attachment = ['-u', '-C', 'attach-session', '-f'];
/** The client flags for a connection with and without the output of programs. */
const flags = { hearing: 'ignore-size', deaf: 'ignore-size,no-output' } as const;

/** @param session null for any existing session. */
export const controlArguments = (
  socketPath: string | null,
  session: string | null,
  hears: keyof typeof flags,
): string[] => [
  // Without -N an attach would start a server if there is none, and that server would keep our environment for all its panes.
  '-N',
  ...(socketPath === null ? [] : ['-S', socketPath]),
  ...attachment,
  flags[hears],
  ...(session === null ? [] : ['-t', `=${session}`]),
];

export const ownerMark = ({ pid, startedAt }: ProcessIdentity): Record<string, string> => ({
  [ownerVariable]: `${pid}:${startedAt}`,
});

/** @param environment as Linux shows it: variables that end with NUL. @returns null if no owner is named. */
export function ownerIn(environment: string): ProcessIdentity | null {
  const [, pid, startedAt = ''] =
    new RegExp(`(?:^|\0)${ownerVariable}=(\\d+):(\\d+)\0`).exec(environment) ?? [];
  return pid === undefined ? null : { pid: Number(pid), startedAt };
}

/** A process that tmux lists as its client. */
export interface ClientProcess {
  pid: number;
  parent: number;
  args: readonly string[];
  owner: ProcessIdentity | null;
  ownerLives: boolean;
  /** Whether pids mean the same to it as to us: in a container its owner has a different pid. */
  sharesPids: boolean;
}

/**
 * Selects the connections of gateways that have ended. The end of the owner would suffice as a sign; that the client has another
 * parent is checked as well, at the client itself, so that an owner that merely cannot be inspected does not lose its connection.
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
 * Ends the connections that killed gateways left at any tmux server. They are searched for among the processes: tmux does not
 * list one whose session has ended. Linux only; elsewhere it ends none.
 * @returns the pids of the clients that got a SIGTERM.
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

/** Returns null for a process that has ended meanwhile, or that belongs to another user. */
function unlessAbsent<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null;
    throw error;
  }
}
