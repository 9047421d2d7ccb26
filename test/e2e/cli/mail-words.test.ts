// The sentences about mail that people read, the words they may leave out, and refusals before anything is sent.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { deliver } from '../../../src/mail/filesystem/mailbox/deliver.js';
import { openMailRoot } from '../../../src/mail/filesystem/open-mail-root.js';
import { mailOf } from '../../support/mail/mail-root.js';
import { addressOf, mailStage } from './mail-stage.js';

const stage = mailStage();
const mail = (...args: string[]) => stage.run(['agents', 'mail', ...args]);

test('a list is columns, one line for each message, and a message its facts and its body', async () => {
  const ref = await stage.send('alice', 'bob', 'Plain words', '--body-content', 'One.\n\nTwo.\n');
  const listed = await mail('list', 'bob', '--limit', '1');
  expect(listed.stdout).toMatch(
    new RegExp(
      `^MESSAGE +WRITTEN +BOX +FLAGS +FROM +SUBJECT\n${ref} +[\\d:]{8} \\(.*?\\) +inbox +unread +${addressOf('alice')} +Plain words\n1 in inbox, 1 unread\n$`,
    ),
  );
  const read = await mail('read', 'bob', '--message-ref', ref);
  expect(read).toMatchObject({ code: 0, stderr: '' });
  expect(read.stdout).toMatch(
    new RegExp(
      `^${ref} {2}Plain words\n {2}from +${addressOf('alice')}\n {2}to +${addressOf('bob')}\n[^]* {2}box +inbox, read\n[^]*\n\nOne\\.\n\nTwo\\.\n$`,
    ),
  );
  expect((await mail('archive', 'bob', '--message-ref', ref)).stdout).toMatch(
    new RegExp(`${ref} .*\\) +archive +archived +`),
  );
  expect((await mail('list', 'bob', '--box', 'empty')).stdout).toBe('No mail to show in empty.\n');
  expect((await mail('status', 'bob')).stdout).toMatch(
    new RegExp(`^${addressOf('bob')}\n {2}owner +HOUMAO-bob\n[^]*reached +without a gateway\n$`),
  );
});

test('what others wrote cannot move the cursor, nor look like another line of the list', async () => {
  const root = openMailRoot(stage.root, systemClock);
  const escapes = '\u001b[2J\u009b1m';
  const message = mailOf('alice', ['bob'], { subject: 'plain', body: `Red ${escapes} alert\u0007\rgone\n` });
  await deliver(root, { ...message, subject: `a${escapes}\nfilesystem:msg-forged  2026` }).finally(() =>
    root.close(),
  );
  const outputs = [
    await mail('list', 'bob'),
    await mail('read', 'bob', '--message-ref', message.messageId),
    await stage.run([
      'mailbox',
      'messages',
      'list',
      '--mailbox-root',
      stage.root,
      '--address',
      addressOf('bob'),
    ]),
    await stage.run([
      ...['mailbox', 'messages', 'get', '--mailbox-root', stage.root],
      ...['--address', addressOf('bob'), '--message-id', message.messageId],
    ]),
  ];
  for (const { code, stdout } of outputs) {
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(stdout).not.toMatch(/^filesystem:msg-forged/m);
  }
  expect(outputs[1]?.stdout).toContain('Red \ufffd[2J\ufffd1m alert\ufffd\ngone\n');
  const asJson = await stage.json(['agents', 'mail', 'peek', 'bob', '--message-ref', message.messageId]);
  expect(asJson.message.body_text).toContain(escapes);
});

test('the body comes from a file or from standard input, as it is', async () => {
  const files = join(stage.folder, 'bodies');
  mkdirSync(files);
  const file = join(files, 'body.md');
  writeFileSync(file, 'From a file: ä\n');
  const send = ['agents', 'mail', 'send', 'bob', '--to', addressOf('alice'), '--subject', 's'];
  const fromFile = await stage.json([...send, '--body-file', file]);
  expect(fromFile.message.body_text).toBe('From a file: ä\n');
  const piped = await stage.json(send, 'From a pipe\n');
  expect(piped.message.body_text).toBe('From a pipe\n');
  const empty = await stage.json([...send, '--body-content', '']);
  expect(empty.message.body_text).toBe('');
  writeFileSync(file, Buffer.from([0x61, 0xff]));
  const sentBefore = (await stage.json(['agents', 'mail', 'list', 'bob', '--box', 'sent'])).message_count;
  const refused: [string[], number, string][] = [
    [[], 2, 'The body is missing: give --body-content, --body-file, or standard input'],
    [['--body-content', 'a', '--body-file', file], 2, 'cannot be used with'],
    [['--body-file', '/nowhere/body'], 2, '--body-file /nowhere/body does not exist'],
    [['--body-file', file], 2, 'is not UTF-8 text'],
    [['--body-content', 'a', '--attach', files], 2, `--attach ${files} is not a file`],
    [['--body-content', 'a', '--cc', 'nobody@houmao.localhost'], 2, 'nobody@houmao.localhost'],
    [['--body-content', 'a', '--notify-block-placement', 'append'], 2, 'needs --notify-block'],
  ];
  for (const [args, code, text] of refused) {
    const ran = await stage.run([...send, ...args]);
    expect([args, ran]).toMatchObject([args, { code, stdout: '', stderr: expect.stringContaining(text) }]);
    expect(ran.stderr).not.toMatch(/ at .*\.js:\d+/);
  }
  expect((await stage.json(['agents', 'mail', 'list', 'bob', '--box', 'sent'])).message_count).toBe(
    sentBefore,
  );
});

const ref = 'filesystem:msg-20260101T000000Z-00000000000000000000000000000000';
test.each([
  [['send', 'bob', '--subject', 's', '--body-content', 'b'], 2, "Required option '--to <address>'"],
  [['send', 'bob', '--to', 'alice', '--subject', 's', '--body-content', 'b'], 2, 'alice'],
  [['send', 'bob', '--to', ' ', '--subject', 's', '--body-content', 'b'], 2, 'It must not be blank'],
  [['peek', 'bob'], 2, "Required option '--message-ref <ref>'"],
  [['peek', 'bob', '--message-ref', 'x'], 2, '--message-ref "x" names no message'],
  [['peek', 'bob', '--message-ref', ref], 2, 'is not in the mailbox of bob@houmao.localhost. List them: '],
  [['read', 'alice', '--message-ref', ref], 2, 'is not in the mailbox of alice@houmao.localhost'],
  [['mark', 'bob', '--message-ref', ref], 2, 'Nothing to mark: give --read or --unread'],
  [['mark', 'bob', '--message-ref', ref, '--read', '--unread'], 2, 'cannot be used with'],
  [['mark', 'bob', '--message-ref', ref, '--archived', '--unread'], 2, 'what is archived counts as read'],
  [['move', 'bob', '--message-ref', ref], 2, "Required option '--destination-box <box>'"],
  [['list', 'bob', '--since', 'yesterday'], 2, 'ISO 8601'],
  [['list', 'bob', '--limit', '0'], 2, 'whole number, at least 1'],
  [['list', 'bob', '--read-state', 'some'], 2, 'Allowed choices are any, read, unread'],
  [['list', 'bob', '--archived', '--not-archived'], 2, 'cannot be used with'],
])('%j is refused in a sentence', async (args, code, text) => {
  const ran = await mail(...args);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(text);
  expect(ran.stderr).not.toMatch(/ at .*\.js:\d+/);
});

test.each([
  [
    ['agents', 'mail', 'send'],
    ['--to', '--cc', '--subject', '--body-content', '--attach', '--notify-block'],
  ],
  [
    ['agents', 'self', 'mail', 'mark'],
    ['--message-ref', '--unread', '--unanswered', '--unarchived'],
  ],
  [
    ['agents', 'mail-notifier', 'enable'],
    ['--interval', '--appendix-file', 'return to their defaults'],
  ],
  [
    ['agents', 'mail'],
    ['resolve-live', 'mark-read', 'Exit codes'],
  ],
  [['mailbox'], ['init', 'accounts', 'messages', 'repair']],
])('%j --help says what there is', async (args, words) => {
  const { code, stdout } = await stage.run([...args, '--help']);
  expect(code).toBe(0);
  for (const word of words) expect(stdout).toContain(word);
});
