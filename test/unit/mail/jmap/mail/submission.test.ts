import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fateIn, fateWords } from '../../../../../src/mail/jmap/mail/submission.js';
import { recordedPair } from '../../../../support/jmap/stalwart-records.js';

const taken = { delivered: 'unknown', smtpReply: '250 2.1.5 Queued' };
const unknown = { delivered: 'no', smtpReply: '550 5.1.2 Mailbox does not exist.' };
const throttled = { delivered: 'no', smtpReply: '452 4.4.5 Rate limit exceeded, try again later.' };
const at = (second: number, deliveryStatus: Record<string, unknown> | null) => ({
  sendAt: `2026-11-26T10:09:${String(second).padStart(2, '0')}Z`,
  deliveryStatus,
});
const wordsOf = (...submissions: Parameters<typeof fateIn>[0]): string =>
  fateWords(fateIn(submissions), (text) => text);

describe('what became of a message', () => {
  test('is as a Stalwart says it: 26 mails within an hour are too many for now, nobody is nobody for ever', () => {
    const fateOf = (shows: string) => {
      const { body } = recordedPair('mail', shows).answer;
      const [[, { list }]] = (body as { methodResponses: [[string, { list: [] }]] }).methodResponses;
      return fateIn(list);
    };
    expect(fateOf('default settings, mail 26')).toEqual({
      refused: [{ address: 'bob@agents.test', reply: throttled.smtpReply, isForNow: true }],
      isRefusedForAll: true,
    });
    expect(fateOf('its fate at once')).toEqual({ refused: [], isRefusedForAll: false });
  });

  test('is said for each: not, and not yet', () => {
    expect(wordsOf(at(0, { a: taken, b: unknown }))).toBe(
      'it was sent, but not to b (550 5.1.2 Mailbox does not exist.)',
    );
    expect(wordsOf(at(0, { a: taken, b: unknown, c: throttled }))).toBe(
      'it was sent, but not to b (550 5.1.2 Mailbox does not exist.), and not yet to c (452 4.4.5 Rate limit exceeded, try again later.); the same call with the same Idempotency-Key, later, sends it there',
    );
    expect(wordsOf(at(0, { a: throttled }))).toBe(
      'the mail server does not accept mail for a (452 4.4.5 Rate limit exceeded, try again later.) now: nothing was sent, and the same call may succeed later',
    );
    expect(wordsOf(at(0, { a: unknown, b: throttled }))).toMatch(
      /^the mail server does not accept mail for a \(550 .*\), and does not accept mail for b \(452 .*\) now: nothing/,
    );
  });

  test('a later submission counts for those whom none had reached, in whatever order they are listed', () => {
    const addresses = ['a', 'b', 'c'];
    const statuses = fc.dictionary(
      fc.constantFrom(...addresses),
      fc.constantFrom(taken, unknown, throttled, {}, null, { delivered: 'no' }),
    );
    fc.assert(
      fc.property(fc.array(statuses, { maxLength: 5 }), fc.boolean(), (given, isTurned) => {
        const list = given.map((status, second) => at(second, status));
        const { refused, isRefusedForAll } = fateIn(isTurned ? [...list].reverse() : list);
        for (const address of addresses) {
          const all = given.flatMap((status) => (address in status ? [status[address]] : []));
          const said = (status: unknown) => (status as { delivered?: string } | null)?.delivered === 'no';
          const found = refused.find((one) => one.address === address);
          expect(found !== undefined).toBe(all.length > 0 && all.every(said));
          if (found) expect(found.isForNow).toBe(all.at(-1) === throttled);
        }
        const named = new Set(given.flatMap((status) => Object.keys(status)));
        expect(isRefusedForAll).toBe(refused.length > 0 && refused.length === named.size);
      }),
    );
    expect(fateIn([{ deliveryStatus: { a: throttled } }, at(1, { a: taken })]).refused).toEqual([]);
  });
});
