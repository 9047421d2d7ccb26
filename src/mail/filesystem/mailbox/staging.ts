import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newUuid } from '../../../foundation/ids.js';
import type { MailPaths } from '../root/mail-paths.js';

/**
 * Writes a document beside the messages, on the same file system and on disk, so that its file appears in one step.
 * @returns its path. @throws the system's error; nothing is left then.
 */
export function stage({ staging }: MailPaths, document: string): string {
  const path = join(staging, `gateway-${newUuid().replaceAll('-', '').slice(0, 12)}.md`);
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, document);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return path;
}
