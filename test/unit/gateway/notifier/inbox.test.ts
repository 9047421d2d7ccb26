import { renameSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { Inbox } from '../../../../src/gateway/notifier/inbox.js';
import { firstSettings } from '../../../../src/gateway/notifier/notifier-settings.js';
import { FilesystemTransport } from '../../../../src/mail/filesystem/filesystem-transport.js';
import type { MailRoot } from '../../../../src/mail/filesystem/mailbox/mail-root.js';
import { toMailRef } from '../../../../src/mail/message/message-id.js';
import { addressOf, mailOf, newRoot, send } from '../../../support/mail/mail-root.js';

/** Knows what was read of it. */
class CountingTransport extends FilesystemTransport {
  readonly peeked: string[] = [];
  override peek(ref: string, box: string | null) {
    this.peeked.push(ref);
    return super.peek(ref, box);
  }
}

let root: MailRoot;
let transport: CountingTransport;
let inbox: Inbox;
beforeEach(async () => {
  root = await newRoot(['alice', 'bob']);
  transport = new CountingTransport(root, { address: addressOf('bob'), principalId: 'HOUMAO-bob' });
  const place = {
    transport: 'filesystem',
    filesystem_root: root.paths.root,
    bindings_version: 'v1',
  } as const;
  const binding = { ...place, address: addressOf('bob'), principal_id: 'HOUMAO-bob' };
  inbox = new Inbox({ use: (work) => work({ binding, transport }) });
});

async function receive(notice: string | null): Promise<string> {
  const notifyBlock = notice === null ? null : { text: notice, placement: 'append' as const };
  return toMailRef((await send(root, mailOf('alice', ['bob'], { notifyBlock }))).messageId);
}
const notices = async () => {
  const { headings } = await inbox.page(firstSettings);
  return inbox.notices(headings, firstSettings.notices);
};

test('a message without a notice is read once for all prompts, and is plain no more than it is there', async () => {
  const plain = await receive(null);
  const noted = await receive('look');
  for (let prompt = 0; prompt < 2; prompt += 1) expect((await notices()).append).toContain('> look');
  expect(transport.peeked.filter((ref) => ref === plain)).toHaveLength(1);
  expect(transport.peeked.filter((ref) => ref === noted)).toHaveLength(2);
  await transport.move([plain], 'archive');
  await notices();
  await transport.move([plain], 'inbox');
  transport.peeked.length = 0;
  await notices();
  expect(transport.peeked).toContain(plain);
});

test('messages are read only until the room is used up', async () => {
  for (let number = 0; number < 4; number += 1) await receive('look');
  const { headings } = await inbox.page(firstSettings);
  const many = Array.from({ length: 100 }, () => headings).flat();
  transport.peeked.length = 0;
  const { prepend } = await inbox.notices(many, { ...firstSettings.notices, totalChars: 0 });
  expect(transport.peeked).toHaveLength(200);
  expect(prepend).toContain('+ 200 or more sender notice(s)');
});

test('a message that cannot be read, or was put away meanwhile, hides no notice of others', async () => {
  const gone = await receive('gone');
  const damaged = await send(root, mailOf('alice', ['bob']));
  await receive('look');
  const { headings } = await inbox.page(firstSettings);
  await transport.move([gone], 'archive');
  const path = root.index.messages.place(damaged.messageId)?.canonical_path ?? '';
  renameSync(path, `${path}.aside`);
  const { append } = await inbox.notices(headings, firstSettings.notices);
  expect(append).toContain('> look');
  expect(append).not.toContain('> gone');
});
