import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { email, pageOf, serverWith } from '../../../../support/jmap/scripted-mail.js';
import { MethodError } from '../../../../support/jmap/scripted-server.js';
import { recordedPair } from '../../../../support/jmap/stalwart-records.js';

interface Query {
  sort: [{ isAscending: boolean }];
  position: number;
  limit: number;
}
const everything = { box: 'inbox', read: null, answered: null, archived: null, limit: null, since: null };
const second = (n: number): string => `2026-03-19T08:00:${String(n).padStart(2, '0')}Z`;

/**
 * A server with messages that came in these seconds, in this order. What came within one second it has in the order of its coming,
 * whichever way it is asked to sort: the recorded Stalwart does (test/fixtures/stalwart/mail.json).
 * @param cap of messages that it gives at once. @param fromEnd whether it takes a position from the end.
 */
async function serverOf(seconds: readonly number[], cap: number, fromEnd = true) {
  const all = seconds.map((at, n) => ({ at, id: `M${n}` }));
  const queries: Query[] = [];
  const server = await serverWith({
    'Email/query': (query: Query) => {
      queries.push(query);
      if (query.position < 0 && !fromEnd) return new MethodError({ type: 'invalidArguments' });
      const isUp = query.sort[0].isAscending;
      const sorted = [...all].sort((a, b) => (isUp ? a.at - b.at : b.at - a.at)).map(({ id }) => id);
      const limit = Math.min(query.limit, cap);
      return { ...pageOf(sorted, { ...query, limit }), ...(limit < query.limit && { limit }) };
    },
    // Without them, what they are taken from was refused.
    'Email/get': ({ ids = [] }: { ids?: string[] }) => ({
      list: ids.map((id) => email(id, { receivedAt: second(all.find((one) => one.id === id)!.at) })),
    }),
  });
  const inOrder = [...all].sort((a, b) => a.at - b.at).map(({ id }) => server.ref(id));
  return { ...server, queries, inOrder };
}

describe('a list', () => {
  test('has the newest first, also within a second, and its limit leaves the newest', async () => {
    const seconds = fc.array(fc.nat(3), { maxLength: 12 });
    const limits = fc.option(fc.integer({ min: 1, max: 14 }));
    await fc.assert(
      fc.asyncProperty(seconds, fc.integer({ min: 1, max: 20 }), limits, fc.boolean(), async (...given) => {
        const [times, cap, limit, oldestFirst] = given;
        const { transport, inOrder } = await serverOf(times, cap);
        const wanted = oldestFirst ? inOrder : [...inOrder].reverse();
        for (const found of [
          (await transport.headings({ ...everything, limit, oldestFirst })).map(({ ref }) => ref),
          (await transport.list({ ...everything, limit, oldestFirst })).messages.map(({ ref }) => ref),
        ])
          expect(found).toEqual(wanted.slice(0, limit ?? wanted.length));
      }),
      { numRuns: 40 },
    );
  });

  test('of a server that counts from the beginning alone is as that server sorts, and it is not asked again', async () => {
    const { transport, queries, ref } = await serverOf([0, 1, 2], 20, false);
    const list = async () => (await transport.headings({ ...everything, limit: 2 })).map((one) => one.ref);
    expect(await list()).toEqual(['M2', 'M1'].map(ref));
    expect(await list()).toEqual(['M2', 'M1'].map(ref));
    expect(queries.map(({ position }) => position)).toEqual([-2, 0, 0]);
  });

  test('loses and repeats nothing where mail comes between two pages', async () => {
    const seconds = [0, 0, 1, 1, 2, 2, 3];
    const { transport, server, inOrder } = await serverOf(seconds, 3);
    const { api } = server;
    const found: string[] = [];
    let asked = 0;
    server.api = (request, answer) => {
      asked += Number(request.body.includes('Email/query'));
      // From the second page on there is one more.
      api(
        { ...request, body: asked > 2 ? request.body.replace(/"position":-(\d+)/, shifted) : request.body },
        answer,
      );
    };
    for await (const page of transport.pages(everything)) found.push(...page.messages.map(({ ref }) => ref));
    expect(found).toEqual([...inOrder].reverse());
  });

  test('is turned because a Stalwart has it so', () => {
    const { body } = recordedPair('mail', 'newest first').answer;
    const [, [, { list }]] = (
      body as { methodResponses: [unknown, [string, { list: { subject: string }[] }]] }
    ).methodResponses;
    expect(list.map(({ subject }) => subject)).toEqual(['half', 'burst 0', 'burst 1', 'burst 2', 'burst 3']);
  });
});

/** A page that begins one nearer to the end, as after another message has come. */
const shifted = (_: string, position: string): string => `"position":-${Math.max(Number(position) - 1, 1)}`;
