import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** The facts by which a process is recognized. */
export interface TreeProcess {
  pid: number;
  /** The name that the kernel keeps, at most 15 characters. */
  name: string;
  args: readonly string[];
}

/** Programs that run another program's text: their next argument names the script. */
const interpreters = new Set(['node', 'nodejs', 'bun', 'deno', 'sh', 'bash', 'python3']);

/**
 * Selects the processes that have one of `names`: the name that the kernel keeps, the program they were started as, or the script
 * that an interpreter runs.
 * @param names in lower case.
 */
export const matchingProcesses = (
  processes: readonly TreeProcess[],
  names: ReadonlySet<string>,
): TreeProcess[] => processes.filter((one) => namesOf(one).some((name) => names.has(name)));

/**
 * Selects the process of the tool itself: it may start the same tool again, and an interpreter may run a script that only starts
 * the tool.
 * @param matching in the order of {@link processTree}, from the root on.
 */
export const toolProcess = (matching: readonly TreeProcess[]): TreeProcess | null =>
  matching.find(({ args: [program = ''] }) => !interpreters.has(basename(program).toLowerCase())) ??
  matching[0] ??
  null;

/** Returns the names that the kernel keeps, each once, sorted. */
export const processNames = (processes: readonly TreeProcess[]): string[] =>
  [...new Set(processes.map(({ name }) => name))].sort();

function namesOf({ name, args: [program = '', ...rest] }: TreeProcess): string[] {
  const started = basename(program).toLowerCase();
  const script = interpreters.has(started) ? rest.find((argument) => !argument.startsWith('-')) : undefined;
  return [name.toLowerCase(), started, ...(script === undefined ? [] : [basename(script).toLowerCase()])];
}

/** Returns a process and all readable processes below it. Linux only; elsewhere, and if there is no such process, none. */
export function processTree(root: number): TreeProcess[] {
  const first = readProcess(root);
  const tree = first ? [first] : [];
  for (let index = 0; index < tree.length; index += 1)
    for (const pid of childrenOf(tree[index]?.pid ?? 0)) {
      const child = readProcess(pid);
      if (child) tree.push(child);
    }
  return tree;
}

/** Reads the children of each thread: the kernel lists a child at the thread that started it. */
function childrenOf(pid: number): number[] {
  const threads = `/proc/${pid}/task`;
  return entriesOf(threads).flatMap((thread) =>
    textOf(`${threads}/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

/** Returns nothing if a process, or one of its threads, ends meanwhile. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Returns null for a process that has ended, is a zombie, or cannot be read. */
function readProcess(pid: number): TreeProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    if ('ZX'.includes(stat[end + 2] ?? 'Z')) return null;
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return { pid, name: stat.slice(stat.indexOf('(') + 1, end), args };
  } catch {
    return null;
  }
}
