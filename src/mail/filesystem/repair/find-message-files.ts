import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MailPaths } from '../root/mail-paths.js';

/** Every file of a message, by the id that its name says. A link that stands there is told of when it is read. */
export function* messageFiles({ messages }: MailPaths): Generator<{ name: string; path: string }> {
  for (const day of readdirSync(messages, { withFileTypes: true }).filter((each) => each.isDirectory()))
    for (const name of readdirSync(join(messages, day.name)))
      if (name.endsWith('.md')) yield { name: name.slice(0, -3), path: join(messages, day.name, name) };
}
