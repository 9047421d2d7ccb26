import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mailRefs } from '../../../../../src/mail/jmap/mail/email-ref.js';
import { recordedPair } from '../../../../support/jmap/stalwart-records.js';

const jmapUrl = 'https://mail.example.test/jmap';
const refs = mailRefs({ jmapUrl, address: 'alice@agents.test' });
const others = [
  mailRefs({ jmapUrl, address: 'bob@agents.test' }),
  mailRefs({ jmapUrl: 'https://mail.example.org/jmap', address: 'alice@agents.test' }),
];
const unknown = expect.objectContaining({ code: 'message_unknown' });

test('a reference leads back to the message in its own mailbox, and is refused in each other one', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,255}$/), (id) => {
      const ref = refs.message(id);
      expect(refs.idOf(` ${ref} `, 'message_ref')).toBe(id);
      expect(refs.idOf(ref.slice('stalwart:'.length), 'message_ref')).toBe(id);
      for (const other of others) {
        expect(() => other.idOf(ref, 'message_ref')).toThrow(unknown);
        expect([other.message(id), other.thread(id)]).not.toContain(ref);
      }
    }),
  );
});

test('two accounts of one server have messages of the same id, which have other references', () => {
  const idsOf = (shows: string): string[] =>
    (
      recordedPair('mail', shows).answer.body as { methodResponses: [[string, { list: { id: string }[] }]] }
    ).methodResponses[0][1].list.map(({ id }) => id);
  const [ofAlice, ofBob] = [idsOf('the same id in two accounts'), idsOf('and bob')];
  expect(ofAlice).toEqual(ofBob);
  expect(refs.message(ofAlice[0]!)).not.toBe(others[0]!.message(ofBob[0]!));
});

test('an address is the same in upper case', () => {
  expect(mailRefs({ jmapUrl, address: 'Alice@Agents.Test' }).message('M1')).toBe(refs.message('M1'));
});

test.each(['filesystem:msg-1', 'stalwart-thread:T1', ':M1', 'stalwart:M1', 'M1'])(
  '%s is of no mailbox that is known',
  (ref) => {
    expect(() => refs.idOf(ref, 'message_ref')).toThrow(unknown);
  },
);

test.each(['', 'stalwart:', 'stalwart:a/b', 'stalwart:x.a~1b', 'stalwart:ä', `stalwart:${'x'.repeat(256)}`])(
  '%s names no message',
  (ref) => {
    expect(() => refs.idOf(ref, 'message_ref')).toThrow('names no message');
  },
);
