import { expect, onTestFinished, test } from 'vitest';
import { addressAt } from '../support/jmap/accounts.js';
import { startJames } from '../support/jmap/james/james-server.js';
import { serverTraits } from '../support/jmap/server-traits.js';

test('James is as docs/decisions.md says', async () => {
  const users = { [addressAt('alice')]: 'a-pw', [addressAt('bob')]: 'b-pw' };
  const server = await startJames(process.env.HOUMAO_JAMES_JARS!, users);
  onTestFinished(() => server.stop());
  expect(await serverTraits(server, users)).toEqual({
    foreignSender: 'forbiddenMailFrom',
    submittedTwice: 2,
    records: 'unknownMethod',
    immutable: 'invalidPatch',
    hasSecondItself: false,
    events: 200,
    absolute: true,
  });
});
