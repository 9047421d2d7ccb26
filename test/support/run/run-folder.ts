import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLeftovers, type Leftovers } from './leftovers.js';

/** Processes that were asked to end may take this long on a busy machine. */
const patienceMs = 20_000;

/**
 * Everything that a run of the tests starts or makes stands in one temporary folder of that run, which distinguishes it
 * from the work of another run side by side. What is left of it at the end fails the run.
 */
export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'houmao-run-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  // A worker that many files share goes by this one: it has the folder of the last file as its TMPDIR.
  process.env.HOUMAO_TEST_FOLDER = folder;
  // Node 22 and later let tools keep compiled code in the temporary folder; it would look like something left behind.
  process.env.NODE_DISABLE_COMPILE_CACHE = '1';
  return async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    const left = await lastingLeftovers(folder);
    if (left.empty) return left.removeFolder();
    process.exitCode = 1;
    console.error(`\nThe tests left something behind:\n${left.lines.join('\n')}`);
    left.endProcesses();
  };
}

async function lastingLeftovers(folder: string): Promise<Leftovers> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const left = findLeftovers(folder);
    if (left.empty || Date.now() > deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
