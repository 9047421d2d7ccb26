import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type MailRoot, readMessageFile } from '../../../src/mail/filesystem/mailbox/mail-root.js';
import { linksIn } from '../../../src/mail/filesystem/mailbox/projection-links.js';
import { boxesByMessage } from '../../../src/mail/filesystem/mailbox/seed-states.js';
import { messageFiles } from '../../../src/mail/filesystem/repair/scan-messages.js';

/**
 * Holds a root against itself: files, index, links and states of every active mailbox agree, each message is whole for all
 * that it names, and no lock is left.
 * @param replaced addresses whose mailbox was replaced: what it has of all their mail is what the index says.
 */
export function checkConsistent(root: MailRoot, replaced: readonly string[] = []): void {
  const files = [...messageFiles(root.paths)];
  expect(new Set(root.index.messages.ids())).toEqual(new Set(files.map(({ name }) => name)));
  expect(files).toHaveLength(root.index.messages.ids().length);
  expect(readdirSync(root.paths.addressLocks)).toEqual([]);
  expect(readdirSync(root.paths.locks)).not.toContain('index.lock');
  const rows = root.index.registrations.all().filter(({ status }) => status === 'active');
  for (const { registration_id } of rows)
    expect(readdirSync(root.paths.staging)).not.toContain(`displaced-${registration_id}`);
  const expected = new Map(rows.map(({ address }) => [address, new Set<string>()]));
  for (const { path } of files) {
    const { message } = readMessageFile(root.paths, path);
    for (const { address } of [message.from, ...message.to, ...message.cc])
      expected.get(address)?.add(message.messageId);
  }
  for (const row of rows) {
    const boxes = boxesByMessage(root, row.registration_id);
    if (replaced.includes(row.address)) expected.set(row.address, new Set(boxes.keys()));
    const states = root.database(row.mailbox_path).states.all();
    expect(new Set(states.map((state) => state.message_id)), row.address).toEqual(expected.get(row.address));
    expect(new Set(boxes.keys()), row.address).toEqual(expected.get(row.address));
    for (const { message_id: id, box_name: box } of states) expect(boxes.get(id), id).toContain(box);
    const links = linksIn(row.mailbox_path, root.paths.messages);
    expect(links.map(({ box, messageId }) => `${box}/${messageId}`).sort()).toEqual(
      [...boxes].flatMap(([id, names]) => names.map((box) => `${box}/${id}`)).sort(),
    );
    for (const { path, messageId } of links)
      expect(readlinkSync(path)).toBe(root.index.messages.place(messageId)?.canonical_path);
    for (const box of readdirSync(row.mailbox_path, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    ))
      expect(readdirSync(join(row.mailbox_path, box.name)).every((name) => name.endsWith('.md'))).toBe(true);
  }
}
