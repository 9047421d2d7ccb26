import { expect, test } from 'vitest';
import {
  isMessageId,
  newMessageId,
  parseMailRef,
  toMailRef,
} from '../../../../src/mail/message/message-id.js';

const id = `msg-20260313T091530Z-${'a'.repeat(32)}`;

test('only the shape of an id counts', () => {
  expect(isMessageId(newMessageId(new Date('2026-03-13T09:15:30.5Z')))).toBe(true);
  expect(isMessageId(`msg-99999999T999999Z-${'0'.repeat(32)}`)).toBe(true);
  for (const other of [id.toUpperCase(), `${id}0`, `x${id}`, `${id}\n`, id.replace('msg-', 'msg-../')])
    expect(isMessageId(other)).toBe(false);
});

test('a reference is the id behind the name of the transport, which may be left out', () => {
  expect(parseMailRef(toMailRef(id), 'message_ref')).toBe(id);
  expect(parseMailRef(` ${id} `, 'message_ref')).toBe(id);
});

test.each(['stalwart:x', `stalwart:${id}`])('the reference %j is that of another transport', (ref) => {
  expect(() => parseMailRef(ref, 'message_refs[0]')).toThrow(
    expect.objectContaining({ code: 'message_unknown', message: expect.stringContaining('message_refs[0]') }),
  );
});

test.each(['', 'filesystem:', `filesystem:${id}:x`, 'filesystem:../../x', 'bob'])(
  'the reference %j is refused',
  (ref) => {
    expect(() => parseMailRef(ref, 'message_refs[0]')).toThrow(
      expect.objectContaining({ field: 'message_refs[0]' }),
    );
  },
);
