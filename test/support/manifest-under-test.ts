import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { makeSession, type TestSession } from './test-session.js';

export type LooseManifest = Record<string, Record<string, unknown>>;

/** The manifest of a launched session, a fresh copy for each test of the file. */
export function manifestUnderTest() {
  let session: TestSession;
  const under = {
    path: '',
    raw: (): LooseManifest => JSON.parse(readFileSync(under.path, 'utf8')) as LooseManifest,
    put: (value: unknown): void => writeFileSync(under.path, JSON.stringify(value)),
  };
  beforeAll(async () => {
    session = await makeSession();
    under.path = join(session.folder, 'manifest-under-test.json');
  });
  beforeEach(() => copyFileSync(session.paths.manifest, under.path));
  afterAll(() => session.remove());
  return under;
}
