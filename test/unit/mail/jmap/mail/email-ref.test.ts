import { expect, test } from 'vitest';
import { parseEmailRef } from '../../../../../src/mail/jmap/mail/email-ref.js';

test.each(['stalwart:M1a-_', ' stalwart:M1a-_ ', 'M1a-_'])('%s', (ref) => {
  expect(parseEmailRef(ref, 'message_ref')).toBe('M1a-_');
});

test.each(['filesystem:msg-1', 'stalwart-thread:T1', ':M1'])('%s is of another transport', (ref) => {
  expect(() => parseEmailRef(ref, 'message_ref')).toThrow(
    expect.objectContaining({ code: 'message_unknown' }),
  );
});

test.each(['', 'stalwart:', 'stalwart:a/b', 'stalwart:a~1b', 'stalwart:ä', `stalwart:${'x'.repeat(256)}`])(
  '%s names no message',
  (ref) => {
    expect(() => parseEmailRef(ref, 'message_ref')).toThrow('names no message');
  },
);
