import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The leftovers of a run of the tests. */
export interface Leftovers {
  readonly empty: boolean;
  /** A line for each process and each folder, which names it. */
  readonly lines: readonly string[];
  /** Kills the processes that are named. What they leave on disk stays, to be looked at. */
  endProcesses(): void;
  removeFolder(): void;
}

/** Of a folder that is left, so many of its files and folders are named. */
const mostNames = 20;

interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** @param folder of the run. Each test file has a folder of its own in it (file-folder.ts). */
export function findLeftovers(folder: string): Leftovers {
  const processes = processesOf(folder);
  const paths = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? readdirSync(path).flatMap((name) => contentsOf(join(path, name))) : [path];
  });
  return {
    empty: processes.length + paths.length === 0,
    lines: [
      ...processes.map(({ pid, command }) => `  process ${pid}: ${command}`),
      ...paths.map((path) => `  ${path}`),
    ],
    endProcesses: () => {
      for (const { pid } of processes) kill(pid);
    },
    removeFolder: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** @returns the path and what is in it, of which one may tell who wrote there last. */
function contentsOf(path: string): string[] {
  try {
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
    return [path, ...names.slice(0, mostNames), ...(names.length > mostNames ? [`${path}/…`] : [])];
  } catch {
    // It is no folder, or has gone meanwhile.
    return [path];
  }
}

/**
 * Live processes that have to do with the folder: it is in their environment (`TMPDIR`, or the home of a test's agent), on
 * their command line, or they stand in it. Vitest's own are children of this process; no test starts one of those. Linux
 * only; elsewhere only folders are noticed.
 */
function processesOf(folder: string): Process[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && belongsTo(pid, folder))
    .map((pid) => ({ pid, parent: parentOf(pid), command: commandOf(pid) }))
    .filter(({ parent }) => parent !== process.pid);
}

/** Whether the process works in the folder, or has it in its arguments or environment. */
export const belongsTo = (pid: number, folder: string): boolean =>
  ['environ', 'cmdline'].some((file) => read(pid, file).includes(folder)) ||
  `${linkOf(pid, 'cwd')}/`.startsWith(`${folder}/`);

const commandOf = (pid: number): string => read(pid, 'cmdline').replaceAll('\0', ' ').trim();
const parentOf = (pid: number): number => Number(/^PPid:\t(\d+)$/m.exec(read(pid, 'status'))?.[1] ?? 0);

/** @returns nothing of a process that is gone or somebody else's. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function linkOf(pid: number, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
