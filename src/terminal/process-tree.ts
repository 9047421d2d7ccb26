import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A process as it can be recognised. */
export interface TreeProcess {
  pid: number;
  /** The name that the kernel keeps, at most 15 characters. */
  name: string;
  args: readonly string[];
}

/** Programs that run another program's text: what they run is named by their next argument. */
const interpreters = new Set(['node', 'nodejs', 'bun', 'deno', 'sh', 'bash', 'python3']);

/**
 * Those that are one of `names`: by the name the kernel keeps, the program they were started as, or the script that an
 * interpreter runs.
 * @param names in lower case.
 */
export const matchingProcesses = (
  processes: readonly TreeProcess[],
  names: ReadonlySet<string>,
): TreeProcess[] => processes.filter((one) => namesOf(one).some((name) => names.has(name)));

/**
 * The one that is the tool itself: what it starts may be the same tool again, and what an interpreter runs may be a script
 * that only starts the tool.
 * @param matching in the order of {@link processTree}, from the root on.
 */
export const toolProcess = (matching: readonly TreeProcess[]): TreeProcess | null =>
  matching.find(({ args: [program = ''] }) => !interpreters.has(basename(program).toLowerCase())) ??
  matching[0] ??
  null;

/** Their names as the kernel keeps them, each once, sorted. */
export const processNames = (processes: readonly TreeProcess[]): string[] =>
  [...new Set(processes.map(({ name }) => name))].sort();

function namesOf({ name, args: [program = '', ...rest] }: TreeProcess): string[] {
  const started = basename(program).toLowerCase();
  const script = interpreters.has(started) ? rest.find((argument) => !argument.startsWith('-')) : undefined;
  return [name.toLowerCase(), started, ...(script === undefined ? [] : [basename(script).toLowerCase()])];
}

/** A process and all below it that can be read. Linux only; elsewhere, and where there is no such process, none. */
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

/** Of each thread: the one that started a child keeps it. */
function childrenOf(pid: number): number[] {
  const threads = `/proc/${pid}/task`;
  return entriesOf(threads).flatMap((thread) =>
    textOf(`${threads}/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

/** A process, or one of its threads, may end meanwhile: then it has none. */
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

/** Null for one that has ended, is a zombie, or shows nothing. */
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
