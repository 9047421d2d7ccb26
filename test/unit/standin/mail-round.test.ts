import { describe, expect, test } from 'vitest';
import { gatewayIn, mailRound } from '../../../standin/src/mail-round.js';
import { answerJson, type Handler, serve } from '../sdk/local-server.js';

const wanted = { HOUMAO_STANDIN_MAIL: '1' };
const promptOf = (url: string): string =>
  `You have mail in inbox.\n\nMode: \`any_inbox\` - open mail\nGateway: \`${url}\`\n\nUse the mailbox.`;

const message = (number: number, more: object = {}) => ({
  message_ref: `filesystem:m${number}`,
  subject: `s${number}`,
  answered: false,
  sender: { address: 'a@b' },
  ...more,
});

/** A gateway whose inbox holds these, the newest first. @param replies is what it answers to a reply. */
const inboxOf =
  (messages: object[], replies = 200): Handler =>
  ({ url }, res) => {
    if (url === '/v1/mail/list') return answerJson(res, 200, { messages });
    answerJson(res, url === '/v1/mail/reply' ? replies : 200, { detail: 'no' });
  };

async function roundAt(handler: Handler) {
  const server = await serve(handler);
  const said = await mailRound(promptOf(server.url), wanted);
  return {
    said,
    asked: server.received.map(({ url, body }) => [url.slice('/v1/mail/'.length), JSON.parse(body)]),
    keys: server.received.map(({ headers }) => headers['idempotency-key']).filter(Boolean),
  };
}

test('only a line of its own names the gateway', () => {
  expect(gatewayIn(promptOf('http://127.0.0.1:1'))).toBe('http://127.0.0.1:1');
  expect(gatewayIn('> Gateway: `http://127.0.0.1:1`')).toBeNull();
  expect(gatewayIn('Hello')).toBeNull();
});

test('without its variable, and for other prompts, nothing is asked', async () => {
  const server = await serve(inboxOf([]));
  expect(await mailRound(promptOf(server.url), {})).toBe('');
  expect(await mailRound('Hello', wanted)).toBe('');
  expect(server.received).toEqual([]);
});

describe('a round', () => {
  test('reads, answers and archives the oldest message first', async () => {
    const { said, asked, keys } = await roundAt(inboxOf([message(2), message(1)]));
    expect(asked).toMatchObject([
      ['list', { box: 'inbox', archived: false }],
      ['read', { message_ref: 'filesystem:m1' }],
      ['reply', { message_ref: 'filesystem:m1' }],
      ['archive', { message_refs: ['filesystem:m1'] }],
      ['read', { message_ref: 'filesystem:m2' }],
      ['reply', { message_ref: 'filesystem:m2' }],
      ['archive', { message_refs: ['filesystem:m2'] }],
    ]);
    expect(keys).toEqual(['standin-filesystem:m1', 'standin-filesystem:m2']);
    expect(said).toBe(
      '\nMail "s1" from a@b: read, answered, archived.\nMail "s2" from a@b: read, answered, archived.',
    );
  });

  test.each([
    ['an answer', message(1, { subject: 'RE: s' })],
    ['what was answered', message(1, { answered: true })],
  ])('does not answer %s', async (_what, one) => {
    const { asked } = await roundAt(inboxOf([one]));
    expect(asked.map(([operation]) => operation)).toEqual(['list', 'read', 'archive']);
  });

  test('archives what takes no replies', async () => {
    const { said, asked } = await roundAt(inboxOf([message(1)], 422));
    expect(asked.at(-1)?.[0]).toBe('archive');
    expect(said).toContain('takes no reply, archived');
  });

  test('leaves in the inbox what could not be answered, and says why', async () => {
    const { said, asked } = await roundAt(inboxOf([message(1)], 502));
    expect(asked.at(-1)?.[0]).toBe('reply');
    expect(said).toBe('\nThe mailbox cannot be used: reply was answered with 502: "no"');
  });

  test('says that there is no mail', async () => {
    expect((await roundAt(inboxOf([]))).said).toBe('\nNo mail.');
  });
});
