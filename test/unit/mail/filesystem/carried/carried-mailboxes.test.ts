// Mail for other hosts in a real folder: it is refused where nothing would carry it, and waits otherwise.
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../src/foundation/clock.js';
import { identify } from '../../../../../src/foundation/processes.js';
import { fixedStamps, freshStamp } from '../../../../../src/mail/facade/mail-facade.js';
import { archiveCarried } from '../../../../../src/mail/filesystem/carried/carried-mailboxes.js';
import { outgoingMail } from '../../../../../src/mail/filesystem/carried/outgoing.js';
import { FilesystemTransport } from '../../../../../src/mail/filesystem/filesystem-transport.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { openMailRoot } from '../../../../../src/mail/filesystem/open-mail-root.js';
import { writeCarrier } from '../../../../../src/mail/filesystem/root/carrier-file.js';
import type { MailFault } from '../../../../../src/mail/message/mail-fault.js';
import { listOf, newRoot, registerName } from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const own = identify(process.pid);
const alive = { pid: process.pid, startedAt: own?.startedAt ?? '' };

/** A folder with these mailboxes on ws1, which knows ws2. */
async function folder(...names: string[]): Promise<MailRoot> {
  const root = await newRoot(names);
  writeCarrier(root.paths, { host: 'ws1', hosts: ['ws2'], process: alive });
  return root;
}

/** Sends from a mailbox. @returns the fault, or null */
async function send(
  root: MailRoot,
  {
    from = 'alice@houmao.localhost',
    owner = 'HOUMAO-alice',
    to = ['carol@ws2.houmao.localhost'],
    path = '',
  } = {},
): Promise<MailFault | null> {
  const transport = new FilesystemTransport(openMailRoot(root.paths.root, systemClock), {
    address: from,
    principalId: owner,
  });
  const mail = {
    body: 'Hello.',
    attachments: path === '' ? [] : [{ path, label: null }],
    notifyBlock: null,
    notifyAuth: null,
  };
  try {
    await transport.send({ ...mail, to, cc: [], subject: 'Hi' }, fixedStamps(freshStamp(new Date())));
    return null;
  } catch (error) {
    return error as MailFault;
  } finally {
    transport.close();
  }
}

const addressesIn = (root: MailRoot): string[] =>
  root.index.registrations.all().map(({ address }) => address);

describe('mail for another host', () => {
  test('waits until it is archived, for each host by itself', async () => {
    const root = await folder('alice', 'bob');
    writeCarrier(root.paths, { host: 'ws1', hosts: ['ws2', 'ws3'], process: alive });
    const to = ['carol', 'dora'].map((name) => `${name}@ws2.houmao.localhost`);
    expect(await send(root, { to: [...to, 'emil@ws3.houmao.localhost', 'bob@houmao.localhost'] })).toBeNull();
    const found = await outgoingMail(root);
    expect(found.map(({ host }) => host).sort()).toEqual(['ws2', 'ws3']);
    const id = found[0]?.messageId ?? '';
    expect((await listOf(root, 'bob')).items).toHaveLength(1);
    await archiveCarried(root, id, 'ws2');
    expect(await outgoingMail(root)).toEqual([{ messageId: id, host: 'ws3' }]);
    await archiveCarried(root, id, null);
    expect(await outgoingMail(root)).toEqual([]);
  });

  test('is refused where the server that carried it has ended', async () => {
    const root = await folder('alice');
    writeCarrier(root.paths, { host: 'ws1', hosts: ['ws2'], process: { ...alive, startedAt: 'before' } });
    expect(await send(root)).toMatchObject({ code: 'unreachable' });
  });

  test('is refused where no server of this host ever carried mail', async () => {
    expect(await send(await newRoot(['alice']))).toMatchObject({ code: 'recipient_unknown' });
  });

  test('is refused with the path where the file that names the server was changed, which stays as it is', async () => {
    const root = await folder('alice');
    const file = join(root.paths.root, 'fleet.json');
    writeFileSync(file, '{"hosts":');
    expect((await send(root))?.message).toContain(file);
    expect(readFileSync(file, 'utf8')).toBe('{"hosts":');
  });

  test('is refused from an address that the other host could not answer', async () => {
    const root = await folder();
    const from = 'alice@example.com';
    await registerName(root, 'alice', { address: from });
    expect(await send(root, { from })).toMatchObject({ code: 'recipient_unknown' });
  });

  test('is refused where its files are larger than may be carried', async () => {
    const root = await folder('alice', 'bob');
    const path = join(temporaryFolder(), 'large.bin');
    writeFileSync(path, '');
    truncateSync(path, 16 * 1024 * 1024 + 1);
    expect(await send(root, { path })).toMatchObject({ code: 'attachment_unusable' });
    expect(await send(root, { path, to: ['bob@houmao.localhost'] })).toBeNull();
    truncateSync(path, 16 * 1024 * 1024);
    expect(await send(root, { path })).toBeNull();
  });

  test('is refused for the name of an agent, with the address of its mailbox', async () => {
    const root = await folder('alice');
    const fault = await send(root, { to: ['carol@ws2'] });
    expect(fault).toMatchObject({
      code: 'recipient_unknown',
      message: expect.stringContaining('carol@ws2.houmao.localhost'),
    });
  });

  test.each([
    ['an unknown host', ['carol@ws9.houmao.localhost']],
    ['an unknown neighbour', ['carol@ws2.houmao.localhost', 'nobody@houmao.localhost']],
  ])('makes no mailbox where it is refused for %s', async (_, to) => {
    const root = await folder('alice');
    const before = addressesIn(root);
    expect(await send(root, { to })).toMatchObject({ code: 'recipient_unknown' });
    expect(addressesIn(root)).toEqual(before);
  });
});
