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
  // A hook that a test makes for its file is never called.
  if (TestRunner.getCurrentTest() === undefined) afterAll(remove);
  else onTestFinished(remove);
  return folder;
}
