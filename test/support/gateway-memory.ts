import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServingProcess } from './serving-process.js';

/** Milliseconds in which a program says how much memory it has. */
const patience = 60_000;

/** Bytes, as the program itself sees them after collecting garbage. */
export interface MemoryFigures {
  heapUsed: number;
  rss: number;
  external: number;
}

const preload = new URL('./memory-on-signal.cjs', import.meta.url).pathname;
/** The environment in which a gateway or a server can be asked for its memory. */
export const memoryEnvironment = { NODE_OPTIONS: `--expose-gc --require ${preload}` };

/** A program that can be asked for its memory: one with the root that it was started with. */
export interface MeasuredProcess extends Pick<ServingProcess, 'child'> {
  readonly paths: { readonly root: string };
}

/** Lets a gateway or a server collect garbage and tell what is left. */
export async function memoryOf({ child, paths }: MeasuredProcess): Promise<MemoryFigures> {
  const file = join(paths.root, 'memory.jsonl');
  const lines = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);
  const before = lines().length;
  child.kill('SIGUSR2');
  const deadline = performance.now() + patience;
  while (lines().length === before) {
    if (child.exitCode !== null) throw new Error(`the program has ended with ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error(`the program says nothing of its memory in ${file}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return JSON.parse(lines().at(-1) ?? '') as MemoryFigures;
}
