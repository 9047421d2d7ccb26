import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NoticeBoard } from '../../../../src/gateway/notifier/notifier-prompt.js';
import { firstSettings, type NoticeSettings } from '../../../../src/gateway/notifier/notifier-settings.js';
import type { NotifyAuth } from '../../../../src/mail/message/mail-message.js';
import type { MailView } from '../../../../src/mail/transport/mail-transport.js';

const usual = firstSettings.notices;

function mail(text: string | null, more: Partial<MailView> = {}): MailView {
  return {
    ref: 'filesystem:m',
    threadRef: null,
    createdAtUtc: '2026-03-13T00:00:00Z',
    subject: 's',
    body: '',
    read: false,
    answered: false,
    archived: false,
    box: 'inbox',
    preview: '',
    to: [],
    cc: [],
    replyTo: [],
    attachments: [],
    sender: { address: 'a@b', displayName: null, principalId: null },
    notifyAuth: null,
    notifyBlock: text === null ? null : { text, placement: 'append' },
    ...more,
  };
}
const before = (text: string): MailView => mail(text, { notifyBlock: { text, placement: 'prepend' } });
const token = (value: string): { notifyAuth: NotifyAuth } => ({
  notifyAuth: { scheme: 'none', token: value, iss: null, iat: null, exp: null },
});
function boardOf(messages: MailView[], settings: Partial<NoticeSettings> = {}): NoticeBoard {
  const board = new NoticeBoard({ ...usual, ...settings });
  for (const message of messages) board.add(message);
  return board;
}
const render = (messages: MailView[], settings: Partial<NoticeSettings> = {}) =>
  boardOf(messages, settings).render(0);

describe('a notice', () => {
  test('is quoted line by line below its sender, in the slot that it asked for', () => {
    expect(render([mail('one\n\ntwo'), before('first')])).toMatchObject({
      prepend: 'Sender notice - from a@b:\n> first\n\n',
      append: '\n\nSender notice - from a@b:\n> one\n>\n> two',
    });
    expect(render([mail(null)])).toEqual({ prepend: '', append: '', entries: [] });
  });

  test('that is too long loses its end, in code points', () => {
    const { append, entries } = render([mail('😀'.repeat(9))], { perMessageChars: 4 });
    expect(append).toContain('> 😀😀😀…');
    expect(entries).toMatchObject([{ block_chars: 4, block_truncated: true, rendered: true }]);
    expect(render([mail('text')], { perMessageChars: -5 }).append).toContain('> …');
  });

  test('without room is left out and counted, and a smaller one after it may fit', () => {
    const small = 'Sender notice - from a@b:\n> b';
    const { append, entries } = render([mail('a'.repeat(400)), mail('b')], { totalChars: small.length });
    expect(append).toBe(`\n\n${small}\n+ 1 more sender notice(s) — open inbox to read`);
    expect(entries).toMatchObject([
      { rendered: false, auth_detail: 'aggregate cap reached', block_chars: 0 },
      { rendered: true, block_chars: 1 },
    ]);
    expect(render([mail('b')], { totalChars: -1 })).toMatchObject({
      prepend: '+ 1 more sender notice(s) — open inbox to read\n\n',
      append: '',
    });
  });

  test('is checked against the tokens, and left out where that is required', () => {
    const settings = { verifier: 'shared-token', sharedTokens: ['open'] } as const;
    const messages = [mail('a', token('open')), mail('b', token('shut')), mail('c')];
    const outcomes = [{ auth_outcome: 'passed' }, { auth_outcome: 'failed' }, { auth_outcome: 'failed' }];
    const lenient = render(messages, settings);
    expect(lenient.entries).toMatchObject(outcomes.map((one) => ({ ...one, rendered: true })));
    const strict = render(messages, { ...settings, authMode: 'required' });
    expect(strict.entries).toMatchObject(outcomes.map((one, index) => ({ ...one, rendered: index === 0 })));
    expect(strict.append).not.toMatch(/> [bc]/);
    expect(JSON.stringify(strict)).not.toMatch(/open|shut/);
  });

  test('is not looked at where none is to be shown', () => {
    const { prepend, append, entries } = render([mail('a')], {
      render: 'disabled',
      verifier: 'shared-token',
    });
    expect([prepend, append]).toEqual(['', '']);
    expect(entries).toMatchObject([
      { rendered: false, auth_outcome: 'skipped', auth_detail: 'render disabled' },
    ]);
  });
});

test('whatever it says, each line of it is a quote, and none has a control character', () => {
  const part = fc.constantFrom(
    'x',
    '\n',
    '\r',
    '\u2028',
    '\u0085',
    '\v',
    '\u001b[31m',
    '\u0007',
    '> ',
    'Sender notice - from z@z:',
  );
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join('')),
      (text) => {
        const lines = render([mail(text)], { perMessageChars: 1000, totalChars: 10_000 })
          .append.trim()
          .split('\n');
        expect(lines[0]).toBe('Sender notice - from a@b:');
        for (const line of lines.slice(1)) {
          expect(line).toMatch(/^>(?: |$)/);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is what is looked for.
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
        }
      },
    ),
  );
});

test('what is shown never takes more room than there is, the line that counts the rest left aside', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 60 })), fc.nat(300), (texts, totalChars) => {
      const { append, entries } = render(
        texts.map((text) => mail(text)),
        { totalChars },
      );
      const shown = append.replace(/\n?\+ \d+ more sender notice.*$/, '').trimStart();
      expect([...shown].length).toBeLessThanOrEqual(totalChars + entries.length);
      expect(entries).toHaveLength(texts.length);
    }),
  );
});

describe('of a large inbox', () => {
  const full = 'Sender notice - from a@b:\n> b';
  const many = (count: number): MailView[] => Array.from({ length: count }, () => mail('c'));

  test('no more is looked at when the room is used up, but for enough to count', () => {
    const settings = { totalChars: full.length };
    expect(boardOf([mail('b'), ...many(199)], settings).isDone).toBe(false);
    const board = boardOf([mail('b'), ...many(200)], settings);
    expect(board.isDone).toBe(true);
    expect(board.render(0).append).toBe(`\n\n${full}\n+ 200 more sender notice(s) — open inbox to read`);
    expect(board.render(1).append).toContain('\n+ 200 or more sender notice(s) — open inbox to read');
    expect(board.render(1).entries).toHaveLength(200);
  });

  test('all is looked at while there is room, and where nothing may be shown little', () => {
    expect(boardOf(many(300).map((each) => ({ ...each, notifyBlock: null }))).isDone).toBe(false);
    expect(boardOf(many(200), { render: 'disabled' }).isDone).toBe(true);
  });
});

test('what is looked at no more would have had no room', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 30 })), fc.nat(120), (texts, totalChars) => {
      const messages = texts.map((text) => mail(text));
      const isDone = boardOf([...messages, ...Array.from({ length: 200 }, () => mail(null))], {
        totalChars,
      }).isDone;
      const later = boardOf([...messages, mail('x')], { totalChars })
        .render(0)
        .entries.at(-1);
      if (isDone) expect(later?.rendered).toBe(false);
    }),
    { numRuns: 200 },
  );
});
