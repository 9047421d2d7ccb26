import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A place for a mailbox root that all agents of a file share. */
export function temporaryRoot(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'houmao-mail-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'mailbox');
}
