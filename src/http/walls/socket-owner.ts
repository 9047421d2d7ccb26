import { readFile } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { endianness } from 'node:os';

/** One end of a TCP connection. */
export interface SocketEnd {
  address: string;
  port: number;
}

/** The files in which Linux lists every TCP socket, with the user it belongs to (proc(5)). */
const tableFiles = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/** The tables in which the platform lists the user of each socket. */
export interface SocketTables {
  /** Reads the tables, never an older state than that of the call; null when this platform has none. */
  read(): Promise<readonly string[] | null>;
}

/** Reads the tables of Linux. Calls that come during a read share the next one. @param files one may be missing. */
export function linuxSocketTables(files: readonly string[] = tableFiles): SocketTables {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly string[] | null> | null = null;
  return {
    read() {
      next ??= current.then(() => {
        next = null;
        const reading = readTables(files);
        current = reading;
        return reading;
      });
      return next;
    },
  };
}

async function readTables(files: readonly string[]): Promise<readonly string[] | null> {
  const tables = await Promise.all(files.map((path) => readFile(path, 'latin1').catch(() => null)));
  const readable = tables.filter((table) => table !== null);
  return readable.length === 0 ? null : readable;
}

/**
 * Returns the user who holds the client's end of a connection; null when no process holds it. A socket that no process holds
 * any more is listed with user 0 and inode 0: it must not count as root's.
 */
export function ownerOf(tables: readonly string[], client: SocketEnd, server: SocketEnd): number | null {
  const [local, remote] = [spellings(client), spellings(server)];
  for (const table of tables) {
    for (const [index, own] of local.entries()) {
      const at = table.indexOf(`: ${own} ${remote[index]} `);
      if (at < 0) continue;
      const line = table.slice(at + 2, table.indexOf('\n', at)).split(/\s+/);
      // local, remote, state, queues, timer, retransmits, uid, timeout, inode
      const [uid, inode] = [Number(line[6]), Number(line[8])];
      if (inode > 0 && Number.isInteger(uid)) return uid;
    }
  }
  return null;
}

/** Returns the forms in which the tables write one end: for IPv4 also that of an IPv6 socket (`::ffff:a.b.c.d`). */
function spellings({ address, port }: SocketEnd): string[] {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  if (isIPv4(bare)) {
    const word = hexWord(bare.split('.').map(Number));
    return [word, `${'0'.repeat(16)}${hexWord([0, 0, 255, 255])}${word}`].map((text) => text + suffix);
  }
  return isIPv6(bare) ? [hexWords(bare) + suffix] : [];
}

/** Prints four bytes as the number that they are in this machine's memory. */
function hexWord(bytes: readonly number[]): string {
  const ordered = endianness() === 'LE' ? [...bytes].reverse() : bytes;
  return ordered.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('');
}

function hexWords(address: string): string {
  const [head = '', tail] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const all = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  const bytes = all.flatMap((group) => [group >> 8, group & 255]);
  return [0, 4, 8, 12].map((start) => hexWord(bytes.slice(start, start + 4))).join('');
}
