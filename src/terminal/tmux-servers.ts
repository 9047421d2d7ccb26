import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TmuxServer } from '../session/manifest-facts.js';
import type { Tmux } from './tmux.js';

// A person may have several tmux servers, by `tmux -L`, `tmux -S` or another TMUX_TMPDIR, and each shell means one of them. The
// record of an agent says which one has its session; where it does not, every server that there is is asked.

/**
 * The server that has a session: the recorded one, or the one that this program means. Without a record all others of this user
 * are asked as well.
 * @param usual the one that this program means.
 * @returns null when none of them has it.
 * @throws {TmuxFault} when one that may have it does not say.
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

/** All servers of this user, the one that this program means first. */
export const everyServer = (usual: Tmux): Tmux[] => [
  usual,
  ...[...socketsOfUser(usual)].map((path) => usual.at(path)),
];

/** Where servers of this user listen: in the usual folders, and, on Linux, wherever a server process does. */
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

/** By inode. The kernel marks a socket that listens by the flag 00010000. */
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

/** Null for what is gone meanwhile, or somebody else's. */
function unlessAbsent<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
