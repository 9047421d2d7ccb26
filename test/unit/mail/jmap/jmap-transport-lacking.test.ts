// Servers that lack what others have.
import { expect, test } from 'vitest';
import { fixedStamps, freshStamp } from '../../../../src/mail/facade/mail-facade.js';
import { email, mail, pageOf, serverWith, submitted } from '../../../support/jmap/scripted-mail.js';
import { MethodError } from '../../../support/jmap/scripted-server.js';

interface Query {
  filter: { after: string };
  sort: { isAscending: boolean }[];
  position: number;
  limit: number;
}

const unknownMethod = () => new MethodError({ type: 'unknownMethod' });
const withoutRecords = {
  ...submitted,
  'EmailSubmission/query': unknownMethod,
  'EmailSubmission/get': unknownMethod,
};

test('one without records of submissions refuses nobody', async () => {
  const { ref, transport } = await serverWith(withoutRecords);
  const sent = await transport.send(mail, fixedStamps(freshStamp(new Date())));
  expect(sent).toMatchObject({ replayed: false, message: { ref: ref('M9') } });
});

test('there, what was sent is found by its name, and a draft is not sent again: nobody knows whether it was', async () => {
  const stamp = { ...freshStamp(new Date(Date.now() - 121_000)), again: true };
  const where = { box: 'sent' };
  const { ref, transport, changes, server } = await serverWith({
    ...withoutRecords,
    // The call from which it takes its arguments has no answer.
    'EmailSubmission/get': () => new MethodError({ type: 'invalidResultReference' }),
    'Email/query': () => ({ ids: ['M9'] }),
    'Email/get': () => {
      const name = `${stamp.messageId}@example.test`;
      return { list: [email('M9', { messageId: [name], mailboxIds: { [where.box]: true } })] };
    },
  });
  const again = await transport.send(mail, fixedStamps(stamp));
  expect(again).toMatchObject({ replayed: true, message: { ref: ref('M9') } });
  where.box = 'drafts';
  await expect(transport.send(mail, fixedStamps(stamp))).rejects.toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringMatching(/delete the draft and repeat the call$/),
  });
  expect(changes).toEqual([]);
  expect(server.asked.filter(({ body }) => body.includes('EmailSubmission/set'))).toEqual([]);
});

test.each([
  ['has', false],
  ['has', true],
  ['leaves out', false],
  ['leaves out', true],
])(
  'one that %s the second of a bound gives what is asked for (oldest first: %s)',
  async (what, oldestFirst) => {
    const second = (n: number): string => `2026-03-19T08:00:0${n}Z`;
    const all = [0, 1, 2, 3].map((n) => email(`M${n}`, { receivedAt: second(n) }));
    const { ref, transport } = await serverWith({
      'Email/query': ({ filter: { after }, sort, position, limit }: Query) => {
        const bound = Date.parse(after) + (what === 'has' ? 0 : 1);
        const found = all.filter(({ receivedAt }) => Date.parse(receivedAt) >= bound);
        if (!sort[0]!.isAscending) found.reverse();
        return pageOf(
          found.map(({ id }) => id),
          { position, limit },
        );
      },
      'Email/get': ({ ids }: { ids: string[] }) => ({ list: all.filter(({ id }) => ids.includes(id)) }),
    });
    // Between two seconds: the later one is the bound.
    const since = Date.parse(second(2)) - 500;
    const query = { box: 'inbox', read: null, answered: null, archived: null, oldestFirst, since };
    for (const limit of [null, 2]) {
      const found = await transport.headings({ ...query, limit });
      expect(found.map(({ ref }) => ref)).toEqual((oldestFirst ? ['M2', 'M3'] : ['M3', 'M2']).map(ref));
    }
  },
);
