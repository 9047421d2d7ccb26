import { expect, test } from 'vitest';
import { resolveRecipients } from '../../../../../src/mail/filesystem/mailbox/active-mailbox.js';
import { deregister } from '../../../../../src/mail/filesystem/registration/deregister.js';
import { noAddress } from '../../../../../src/mail/message/names.js';
import { addressOf, newRoot, principalOf, registerName } from '../../../../support/mail/mail-root.js';

test('an address belongs to whom it is registered for now', async () => {
  const root = await newRoot(['alice', 'bob']);
  expect(await resolveRecipients(root, [` ${addressOf('bob')}`, addressOf('alice')])).toEqual([
    ...[principalOf('bob'), principalOf('alice')],
  ]);
});

test('a short name is no address; the only one that may be meant is named', async () => {
  const root = await newRoot(['alice', 'bob']);
  await registerName(root, 'x', { ownerPrincipalId: 'HOUMAO-zoe' });
  for (const [name, meant] of [
    ['bob', addressOf('bob')],
    ['zoe', addressOf('x')],
    ['HOUMAO-zoe', addressOf('x')],
  ] as const)
    await expect(resolveRecipients(root, [name])).rejects.toMatchObject({
      code: 'recipient_unknown',
      message: `"${name}" is not a mailbox address; is ${meant} meant?`,
    });
  await registerName(root, 'y', { ownerPrincipalId: 'HOUMAO-bob' });
  for (const name of ['bob', 'nobody', '', '../x', 'a\nb'])
    await expect(resolveRecipients(root, [name])).rejects.toMatchObject({
      code: 'recipient_unknown',
      message: noAddress(name),
    });
});

test('an address without an active mailbox says what there is', async () => {
  const root = await newRoot(['alice']);
  await deregister(root, addressOf('alice'), 'deactivate');
  await expect(resolveRecipients(root, [addressOf('alice')])).rejects.toMatchObject({
    code: 'recipient_unknown',
    message: `${addressOf('alice')} has no active mailbox here, only inactive ones`,
  });
  await expect(resolveRecipients(root, [addressOf('eve')])).rejects.toMatchObject({
    message: `${addressOf('eve')} has no mailbox here`,
  });
});
