import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';
import type { OwnTmux } from './own-tmux.js';

/**
 * A folder for one test file, or for the test that asks for it; it is removed after its tests.
 * @param tmux whose agents live in it. They end first: a file that one writes later would make the folder again.
 */
export function temporaryFolder(tmux?: OwnTmux): string {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-unit-'));
  const remove = async () => {
    await tmux?.endWithin(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  whenOver(remove);
  return folder;
}

/** Cleans up after the test that asks for it, or, outside a test, after the tests of the file: the latest first. */
export function whenOver(clean: () => Promise<void> | void): void {
  // A hook that a test makes for its file is never called.
  if (TestRunner.getCurrentTest() === undefined) afterAll(clean);
  else onTestFinished(clean);
}
