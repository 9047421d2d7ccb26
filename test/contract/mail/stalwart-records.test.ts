// The imitation of Stalwart's management answers as the real one did, which is on record.
import { describe, expect, test } from 'vitest';
import { type RecordedPair, recordedPairs } from '../../support/jmap/stalwart-records.js';
import { StalwartRegistry } from '../../support/jmap/stalwart-registry.js';

const imitation = (): StalwartRegistry => new StalwartRegistry(async () => undefined);

/** Ids of credentials are the server's own affair. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (key === 'credentialId' ? undefined : part)));

async function replay(registry: StalwartRegistry, { shows, request, answer }: RecordedPair): Promise<void> {
  const weak = shows === 'a weak password' ? 'secret' : 'a-password-of-some-length';
  const body = JSON.stringify(request.body).replaceAll('"secret":"<removed>"', `"secret":"${weak}"`);
  expect(withoutIds(await registry.answer({ body })), shows).toEqual(withoutIds(answer.body));
}

describe('the imitation of the management of Stalwart 0.16', () => {
  test('makes domains and accounts, and refuses them, as recorded', async () => {
    const registry = imitation();
    for (const pair of recordedPairs('provisioning')) {
      // Others have made these by then.
      if (pair.shows.startsWith('the name is a mailing list'))
        registry.taken.set('list@agents.test', { object: 'MailingList', id: 'b' });
      if (pair.shows.startsWith('the name is a group'))
        registry.add('Account', { name: 'team', domainId: 'c', '@type': 'Group' });
      if (pair.shows.startsWith('the domain is an alias'))
        registry.taken.set('also.test', { object: 'Domain', id: 'd' });
      await replay(registry, pair);
    }
  });

  test('changes credentials as recorded: a map that is given as a whole ends all others', async () => {
    const registry = imitation();
    const { id: domainId } = registry.add('Domain', { name: 'agents.test' });
    const alpha = registry.add('Account', { name: 'alpha', domainId });
    const [made, ...later] = recordedPairs('rotation');
    expect(made?.shows).toBe('the owner makes an app password');
    registry.addAppPassword(alpha, 'phone');
    for (const pair of later) await replay(registry, pair);
  });
});
