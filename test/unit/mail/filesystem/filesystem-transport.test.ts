import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/foundation/clock.js';
import { fixedStamps, freshStamp } from '../../../../src/mail/facade/mail-facade.js';
import { FilesystemTransport } from '../../../../src/mail/filesystem/filesystem-transport.js';
import { openMailRoot } from '../../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../../src/mail/filesystem/registration/bootstrap.js';
import { newMessageId, toMailRef } from '../../../../src/mail/message/message-id.js';
import { addressOf, registerName } from '../../../support/mail/mail-root.js';
import { testMailTransport } from '../../../support/mail/transport-conformance.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

// Made in a hook, it would never be removed.
const folder = temporaryFolder();

/** A clock whose seconds are over sooner. */
const fastClock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 50,
  sleep: (ms, signal) => systemClock.sleep(ms / 50, signal),
};

async function twoMailboxes() {
  const path = join(mkdtempSync(join(folder, 'transport-')), 'root');
  const root = openMailRoot(path, systemClock);
  await bootstrap(root);
  for (const name of ['alice', 'bob']) await registerName(root, name);
  root.close();
  const { paths } = root;
  const open = (name: string, clock = systemClock): FilesystemTransport =>
    new FilesystemTransport(openMailRoot(path, clock), {
      address: addressOf(name),
      principalId: `HOUMAO-${name}`,
    });
  const [alice, bob] = [open('alice'), open('bob')];
  return {
    alice,
    bob,
    addresses: { alice: addressOf('alice'), bob: addressOf('bob') },
    unknownRef: toMailRef(newMessageId(new Date())),
    strangers: 'refused' as const,
    comeToBob: async (subject: string, at: Date) => {
      const mail = { body: `text ${subject}`, attachments: [], notifyBlock: null, notifyAuth: null };
      const addressed = { ...mail, subject, to: [addressOf('bob')], cc: [] };
      return (await alice.send(addressed, fixedStamps(freshStamp(at)))).message.ref;
    },
    damage: (ref: string) => {
      const file = `${ref.slice('filesystem:'.length)}.md`;
      for (const day of readdirSync(paths.messages))
        if (existsSync(join(paths.messages, day, file)))
          writeFileSync(join(paths.messages, day, file), 'torn');
    },
    whileAway: async (
      work: (both: { alice: FilesystemTransport; bob: FilesystemTransport; code: 'locked' }) => Promise<void>,
    ) => {
      const lock = join(paths.addressLocks, `${addressOf('bob')}.lock`);
      const impatient = { alice: open('alice', fastClock), bob: open('bob', fastClock) };
      writeFileSync(lock, `pid=${process.pid} acquired_at_utc=2026-01-01T00:00:00+00:00\n`, { flag: 'wx' });
      try {
        await work({ ...impatient, code: 'locked' });
      } finally {
        rmSync(lock);
        for (const transport of Object.values(impatient)) transport.close();
      }
    },
    close: async () => {
      for (const transport of [alice, bob]) transport.close();
    },
  };
}

testMailTransport('filesystem', twoMailboxes);

test('tells of a damaged message, leaves it out and goes on', async () => {
  const both = await twoMailboxes();
  onTestFinished(both.close);
  const [torn, whole] = [await both.comeToBob('torn', new Date()), await both.comeToBob('whole', new Date())];
  await both.bob.move([torn, whole], 'damaged');
  both.damage(torn);
  const query = { read: null, answered: null, archived: null, limit: null, since: null };
  const { messages, damaged } = await both.bob.list({ ...query, box: 'damaged' });
  expect(messages.map(({ subject }) => subject)).toEqual(['whole']);
  expect(damaged).toEqual([{ ref: torn, detail: expect.stringMatching(/./) }]);
  const headings = await both.bob.headings({ ...query, box: 'damaged' });
  expect(new Set(headings.map(({ subject }) => subject))).toEqual(new Set(['torn', 'whole']));
  await expect(both.bob.peek(torn, null)).rejects.toMatchObject({ code: 'message_damaged' });
  await expect(both.bob.read(torn, null)).rejects.toMatchObject({ code: 'message_damaged' });
  // It is put away all the same, which must not look refused.
  const moved = both.bob.move([torn], 'put away torn');
  await expect(moved).rejects.toMatchObject({ code: 'state_late', deliveredRef: null });
  expect((await both.bob.list({ ...query, box: 'put away torn' })).damaged).toMatchObject([{ ref: torn }]);
});
