import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MailPaths } from '../root/mail-paths.js';

type Hidden = (path: string, reason: string) => void;

/**
 * Every file of a message, by the id that its name says. A link that stands there is told of when it is read.
 * @param hidden is told of what may hold messages and is not looked into; without it, a folder that cannot be read is an error.
 */
export function* messageFiles(
  { messages }: MailPaths,
  hidden?: Hidden,
): Generator<{ name: string; path: string }> {
  for (const entry of readdirSync(messages, { withFileTypes: true })) {
    const path = join(messages, entry.name);
    if (!entry.isDirectory()) {
      const reason = strayReason(entry);
      if (reason !== null) hidden?.(path, reason);
      continue;
    }
    for (const name of namesIn(path, hidden))
      if (name.endsWith('.md')) yield { name: name.slice(0, -3), path: join(path, name) };
  }
}

function strayReason(entry: Dirent): string | null {
  if (entry.isSymbolicLink()) return 'is a link, which is not followed';
  return entry.name.endsWith('.md') ? 'is not in the folder of a day' : null;
}

function namesIn(folder: string, hidden: Hidden | undefined): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (hidden === undefined || !/^(EACCES|EPERM|EIO|ESTALE)$/.test(code)) throw error;
    hidden(folder, `cannot be read (${code})`);
    return [];
  }
}
