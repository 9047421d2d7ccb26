import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../../../src/foundation/clock.js';
import { deferred } from '../../../../../src/foundation/concurrency.js';
import { moveMail, updateStates } from '../../../../../src/mail/filesystem/mailbox/change-mail.js';
import { recoverLeft } from '../../../../../src/mail/filesystem/open-mail-root.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import { addressOf, mailOf, newRoot, send } from '../../../../support/mail/mail-root.js';
import { PeerMove } from '../../../../support/mail/peer-move.js';

const bob = { address: addressOf('bob'), principalId: 'HOUMAO-bob' };

/** A root with one message, whose clock tells when somebody waits for a database, and may then pass faster. */
async function waitedFor() {
  let waits = deferred<void>();
  let late = 0;
  const clock: Clock = {
    now: systemClock.now,
    monotonic: () => systemClock.monotonic() + late,
    sleep: (ms) => {
      // Not the rest between two uses of a lock.
      if (ms === 10) waits.resolve();
      return systemClock.sleep(ms);
    },
  };
  const root = await newRoot(['alice', 'bob'], clock);
  const { messageId } = await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  const peer = new PeerMove(root, 'bob');
  const { states } = root.database(join(root.paths.mailboxes, bob.address));
  const boxes = () => {
    const { registration_id } = root.index.registrations.active(bob.address)!;
    return root.index.projections.of(registration_id, messageId).map((row) => row.folder_name);
  };
  /** Begins work while a peer has a database, and gives it to the peer when the work waits for it. */
  const during = async <T>(work: () => Promise<T>, then: () => void): Promise<T> => {
    waits = deferred<void>();
    const working = work();
    working.catch(() => undefined);
    await waits.promise;
    then();
    return working;
  };
  const pass = (ms: number) => {
    late += ms;
  };
  return { root, peer, messageId, boxes, during, pass, stateNow: () => states.get(messageId)! };
}

test('a flag that is set while another one moves the message leaves it where it was moved', async () => {
  const { root, peer, messageId, during, stateNow } = await waitedFor();
  peer.beginIndex();
  peer.moveInIndex(messageId, 'later');
  peer.beginOwn();
  const [row] = await during(
    () => updateStates(root, bob, [messageId], { answered: true }),
    () => {
      peer.moveInOwn(messageId, 'later');
      peer.commitOwn();
    },
  );
  expect(row).toMatchObject({ box_name: 'later', is_answered: 1 });
  expect(stateNow()).toEqual(row);
  checkConsistent(root);
});

test('what is moved while another one moves it stands in one box', async () => {
  const { root, peer, messageId, during, boxes } = await waitedFor();
  peer.beginIndex();
  const [row] = await during(
    () => moveMail(root, bob, [messageId], { box: 'archive' }),
    () => {
      peer.moveInIndex(messageId, 'later');
      peer.beginOwn();
      peer.moveInOwn(messageId, 'later');
      peer.commitOwn();
    },
  );
  expect(boxes()).toEqual(['archive']);
  expect(row).toMatchObject({ box_name: 'archive', is_archived: 1 });
  checkConsistent(root);
});

test('a peer that moves it on before the mailbox knows has the last word, and flags are set all the same', async () => {
  const { root, peer, messageId, during, boxes } = await waitedFor();
  peer.beginOwn();
  const [row] = await during(
    () => moveMail(root, bob, [messageId], { box: 'archive', flags: { answered: true } }),
    () => {
      peer.beginIndex();
      peer.moveInIndex(messageId, 'later');
      peer.moveInOwn(messageId, 'later');
      peer.commitOwn();
    },
  );
  expect(boxes()).toEqual(['later']);
  expect(row).toMatchObject({ box_name: 'later', is_archived: 0, is_answered: 1 });
  checkConsistent(root);
});

test('recovery brings a mailbox in line with what the index says then', async () => {
  const { root, peer, messageId, during } = await waitedFor();
  peer.beginOwn();
  await during(
    () => recoverLeft(root, { addresses: [bob.address], index: true }),
    () => {
      peer.beginIndex();
      peer.moveInIndex(messageId, 'later');
      peer.moveInOwn(messageId, 'later');
      peer.commitOwn();
    },
  );
  checkConsistent(root);
});

test('a move that cannot take back everything says why it failed', async () => {
  const { root, peer, messageId, during, pass } = await waitedFor();
  peer.beginIndex();
  await expect(
    during(
      () => moveMail(root, bob, [messageId], { box: 'later' }),
      () => {
        // So its folder cannot be removed again.
        writeFileSync(join(root.paths.mailboxes, bob.address, 'later', 'note.txt'), 'of somebody');
        pass(6000);
      },
    ),
  ).rejects.toMatchObject({ code: 'locked' });
});
