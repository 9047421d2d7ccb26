// Mail of another host that comes into a real folder.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identify } from '../../../../../src/foundation/processes.js';
import { deliverArrived } from '../../../../../src/mail/filesystem/carried/incoming.js';
import { outgoingMail } from '../../../../../src/mail/filesystem/carried/outgoing.js';
import { type MailRoot, messageIn } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
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

  test('goes to recipients in several folders, each of which has those of its own', async () => {
    const [one, other] = [await folder('alice'), await folder('bob')];
    const to = ['alice', 'bob'].map((name) => plainPrincipal(`${name}@ws1`, `${name}@ws1.houmao.localhost`));
    const document = renderDocument({ ...sent, to });
    expect(await deliverArrived([one, other], { ...arrival, document })).toEqual([]);
    for (const [root, name] of [
      [one, 'alice'],
      [other, 'bob'],
    ] as const) {
      expect((await listOf(root, name)).items).toHaveLength(1);
      const { message } = await messageIn(root, sent.messageId);
      expect(message.to.map(({ address }) => address)).toEqual([`${name}@houmao.localhost`]);
    }
  });

  test('comes to one folder while another cannot be read, whose recipients wait or are refused once it can be', async () => {
    const [root, later] = [await folder('alice'), await folder('bob')];
    const index = join(later.paths.root, 'index.sqlite');
    renameSync(index, `${index}.away`);
    const broken = openRoot(later.paths.root);
    expect(await deliverArrived([root, broken], arrival)).toEqual([]);
    const to = ['alice', 'bob', 'nobody'].map((name) =>
      plainPrincipal(`${name}@ws1`, `${name}@ws1.houmao.localhost`),
    );
    const messageId = `${sent.messageId.slice(0, -2)}00`;
    const next = { ...arrival, document: renderDocument({ ...sent, messageId, threadId: messageId, to }) };
    await expect(deliverArrived([root, broken], next)).rejects.toMatchObject({ code: 'root_missing' });
    expect((await listOf(root, 'alice')).items).toHaveLength(2);
    renameSync(`${index}.away`, index);
    expect(await deliverArrived([root, openRoot(later.paths.root)], next)).toMatchObject([
      { address: 'nobody@ws1.houmao.localhost' },
    ]);
    expect((await listOf(later, 'bob')).items).toHaveLength(1);
    expect((await listOf(root, 'alice')).items).toHaveLength(2);
  });

  test('may come again where the folder is not there now', async () => {
    const root = await folder('alice');
    const elsewhere = openRoot(join(root.paths.root, 'none'));
    await expect(deliverArrived([elsewhere], arrival)).rejects.toMatchObject({ code: 'root_missing' });
  });
});
