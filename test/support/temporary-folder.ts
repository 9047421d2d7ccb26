import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

/** A folder for one test file, or for the test that asks for it; it is removed after its tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-unit-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // A hook that a test makes for its file is never called.
  if (TestRunner.getCurrentTest() === undefined) afterAll(remove);
  else onTestFinished(remove);
  return folder;
}
