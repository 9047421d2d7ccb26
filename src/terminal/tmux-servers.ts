import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TmuxServer } from '../session/manifest-facts.js';
import type { Tmux } from './tmux.js';

// A person may have several tmux servers, by `tmux -L`, `tmux -S` or another TMUX_TMPDIR, and each shell uses one of them. The
// record of an agent names the server that has its session; if there is no record, all existing servers are asked.

/**
 * Finds the server that has a session: the recorded one, or the one that this program uses. Without a record all others of this
 * user are asked as well.
 * @param usual the server that this program uses.
 * @returns null if none of them has it.
 * @throws {TmuxFault} if one that may have it does not answer.
 */
export async function serverOf(
  usual: Tmux,
  session: string,
  recorded: Pick<TmuxServer, 'socketPath'> | null,
): Promise<Tmux | null> {
  const candidates = recorded === null ? everyServer(usual) : [usual.at(recorded.socketPath), usual];
  for (const server of candidates) if (await server.hasSession(session)) return server;
  return null;
}

/** Returns all servers of this user, the one that this program uses first. */
export const everyServer = (usual: Tmux): Tmux[] => [
  usual,
  ...[...socketsOfUser(usual)].map((path) => usual.at(path)),
];

/** Finds the sockets of this user's servers: in the usual folders and, on Linux, wherever a server process listens. */
function socketsOfUser({ environment }: Tmux): Set<string> {
  const uid = process.getuid?.() ?? 0;
  const folders = new Set(
    ['/tmp', environment.TMUX_TMPDIR || '/tmp'].map((base) => join(base, `tmux-${uid}`)),
  );
  const usual = [...folders].flatMap((folder) => entriesOf(folder).map((name) => join(folder, name)));
  return new Set([
    ...usual.filter((path) => unlessAbsent(() => statSync(path))?.isSocket()),
    ...serverSockets(uid),
  ]);
}

function serverSockets(uid: number): string[] {
  if (process.platform !== 'linux') return [];
  const paths = listeningPaths();
  return entriesOf('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => `/proc/${pid}`)
    .filter((folder) => unlessAbsent(() => isServerOf(folder, uid)))
    .flatMap((folder) => entriesOf(`${folder}/fd`).map((fd) => `${folder}/fd/${fd}`))
    .flatMap((fd) => paths.get(inodeIn(unlessAbsent(() => readlinkSync(fd)))) ?? []);
}

const isServerOf = (folder: string, uid: number): boolean =>
  readFileSync(`${folder}/comm`, 'latin1') === 'tmux: server\n' && statSync(folder).uid === uid;

const inodeIn = (link: string | null): string => /^socket:\[(\d+)\]$/.exec(link ?? '')?.[1] ?? '';

/** Returns the paths by inode. The kernel marks a listening socket by the flag 00010000. */
function listeningPaths(): ReadonlyMap<string, string> {
  const rows = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return new Map(
    rows.flatMap((row) => {
      const [, inode = '', path = ''] = /^\S+ \S+ \S+ 00010000 \S+ \S+ +(\d+) (\/.*)$/.exec(row) ?? [];
      return path === '' ? [] : [[inode, path] as const];
    }),
  );
}

const entriesOf = (folder: string): string[] => unlessAbsent(() => readdirSync(folder)) ?? [];

/** Returns null for a file that was removed meanwhile, or that belongs to another user. */
function unlessAbsent<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
