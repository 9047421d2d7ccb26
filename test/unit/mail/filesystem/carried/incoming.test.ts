// Mail of another host that comes into a real folder.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identify } from '../../../../../src/foundation/processes.js';
import { deliverArrived } from '../../../../../src/mail/filesystem/carried/incoming.js';
import { messageIn, outgoingMail } from '../../../../../src/mail/filesystem/carried/outgoing.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { writeCarrier } from '../../../../../src/mail/filesystem/root/carrier-file.js';
import { renderDocument } from '../../../../../src/mail/message/document.js';
import { plainPrincipal } from '../../../../../src/mail/message/mail-message.js';
import { listOf, mailOf, newRoot, openRoot } from '../../../../support/mail/mail-root.js';

const own = identify(process.pid);
const alive = { pid: process.pid, startedAt: own?.startedAt ?? '' };

/** A folder with these mailboxes on ws1, which knows ws2. */
async function folder(...names: string[]): Promise<MailRoot> {
  const root = await newRoot(names);
  writeCarrier(root.paths, { host: 'ws1', hosts: ['ws2'], process: alive });
  return root;
}

describe('mail from another host', () => {
  const sent = mailOf('carol', ['bob'], {
    to: [plainPrincipal('alice@ws1', 'alice@ws1.houmao.localhost')],
    cc: [plainPrincipal('emil@ws3', 'emil@ws3.houmao.localhost')],
  });
  const arrival = { from: 'ws2', here: 'ws1', document: renderDocument(sent), files: [] };

  test('is delivered once, and its copies for third hosts do not wait here', async () => {
    const root = await folder('alice');
    for (let times = 0; times < 3; times += 1) expect(await deliverArrived([root], arrival)).toEqual([]);
    expect((await listOf(root, 'alice')).items).toHaveLength(1);
    expect(await outgoingMail(root)).toEqual([]);
    expect((await messageIn(root, sent.messageId)).message.from.address).toBe('carol@ws2.houmao.localhost');
  });

  test('goes to the folder that has its recipient, and is refused where two have one', async () => {
    const [one, other] = [await folder('bob'), await folder('alice')];
    expect(await deliverArrived([one, other], arrival)).toEqual([]);
    expect((await listOf(other, 'alice')).items).toHaveLength(1);
    const third = await folder('alice');
    const another = `${sent.messageId.slice(0, -2)}00`;
    const next = {
      ...arrival,
      document: renderDocument({ ...sent, messageId: another, threadId: another }),
    };
    expect(await deliverArrived([other, third], next)).toMatchObject([
      { address: 'alice@ws1.houmao.localhost' },
    ]);
    expect((await listOf(third, 'alice')).items).toEqual([]);
  });

  test('is refused by a mailbox that is damaged', async () => {
    const root = await folder('alice');
    writeFileSync(
      join(root.paths.mailboxes, 'alice@houmao.localhost', 'mailbox.sqlite'),
      'no database at all, but a text',
    );
    expect(await deliverArrived([openRoot(root.paths.root)], arrival)).toMatchObject([
      { address: 'alice@ws1.houmao.localhost' },
    ]);
  });

  test('may come again where the folder is not there now', async () => {
    const root = await folder('alice');
    const elsewhere = openRoot(join(root.paths.root, 'none'));
    await expect(deliverArrived([elsewhere], arrival)).rejects.toMatchObject({ code: 'root_missing' });
  });
});
