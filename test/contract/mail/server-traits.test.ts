import { expect, onTestFinished, test } from 'vitest';
import { addressAt } from '../../support/jmap/accounts.js';
import { cyrusNeed, hasCyrus, startCyrus } from '../../support/jmap/cyrus-server.js';
import { serverTraits } from '../../support/jmap/server-traits.js';

test('Cyrus is as docs/decisions.md says', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, async () => {
  const users = { [addressAt('alice')]: 'a-pw', [addressAt('bob')]: 'b-pw' };
  const server = await startCyrus(users);
  onTestFinished(() => server.stop());
  expect(await serverTraits(server, users)).toEqual({
    foreignSender: 'sent',
    submittedTwice: 1,
    records: 'known',
    immutable: 'nothing',
    hasSecondItself: true,
    events: 204,
    absolute: false,
  });
});
