import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { folderInMemory } from './folder-in-memory.js';

/** Bytes; 50,000 requests leave 17 MB. */
const room = 48 * 1024 * 1024;

/** A session with a mailbox. It is in memory: a disk that takes its time over a sync is no hostile input. */
export function sessionInMemory(): Promise<TestSession> {
  const folder = mkdtempSync(join(folderInMemory(room), 'houmao-hostile-'));
  const mailbox = { root: join(folder, 'mailbox'), address: null, principalId: null };
  return makeSession({ folder, mailbox });
}
