// Every operation of an agent's mail, through its gateway and without one: the same answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Answer, addressOf, mailStage } from './mail-stage.js';

const stage = mailStage();
const mail = (command: string, name: string, ...args: string[]): Promise<Answer> =>
  stage.json(['agents', 'mail', command, name, ...args]);

describe.each([
  ['alice', 'bob', 'gateway_backed'],
  ['bob', 'alice', 'manager_direct'],
])('the mail of %s', (name, other, path) => {
  const vouched = (operation: string) => ({
    operation,
    authoritative: true,
    status: 'verified',
    execution_path: path,
    schema_version: 1,
    transport: 'filesystem',
    principal_id: `HOUMAO-${name}`,
    address: addressOf(name),
  });
  const subjects = ({ messages }: Answer): string[] =>
    messages.map(({ subject }: { subject: string }) => subject);

  test('status names the mailbox', async () => {
    expect(await mail('status', name)).toEqual({
      ...vouched('status'),
      bindings_version: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    });
  });

  test('a message goes out with all that was asked for, and its receiver sees it', async () => {
    const report = join(stage.folder, 'report.md');
    writeFileSync(report, '# Report\n');
    const sent = await mail(
      ...([
        'send',
        name,
        '--to',
        addressOf(other),
        '--cc',
        addressOf(name),
        '--subject',
        `of ${name}`,
      ] as const),
      ...['--body-content', 'A body.', '--attach', report],
      ...['--notify-block', 'look here', '--notify-block-placement', 'prepend'],
    );
    expect(sent).toMatchObject({
      ...vouched('send'),
      message: {
        subject: `of ${name}`,
        box: 'inbox',
        cc: [{ address: addressOf(name) }],
        sender: { address: addressOf(name) },
        notify_block: { text: 'look here', placement: 'prepend' },
        attachments: [{ locator: report, size_bytes: 9, kind: 'path_ref' }],
      },
    });
    const got = await mail('peek', other, '--message-ref', sent.message.message_ref);
    expect(got.message).toMatchObject({ box: 'inbox', read: false, attachments: [{ locator: report }] });
    const [{ attachment_id }] = got.message.attachments;
    const which = ['--message-ref', got.message.message_ref, '--attachment-id'];
    expect(await mail('attachment', other, ...which, attachment_id)).toMatchObject({
      operation: 'attachment',
      status: 'verified',
      path: report,
      size_bytes: 9,
      unchanged: true,
    });
    const attachment = ['agents', 'mail', 'attachment', other, ...which];
    expect(await stage.run([...attachment, attachment_id])).toMatchObject({ code: 0, stdout: `${report}\n` });
    expect(await stage.run([...attachment, 'none'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('has no attachment none'),
    });
    expect(got.message.body_text).toBe('```houmao-notify\nlook here\n```\n\nA body.');
  });

  test('peek leaves a message unread, read does not, and a wrong box changes nothing', async () => {
    const ref = await stage.send(other, name, 'to be read');
    const one = (command: string, ...args: string[]) => mail(command, name, '--message-ref', ref, ...args);
    expect(await one('peek')).toMatchObject({
      ...vouched('peek'),
      message: { read: false, body_text: 'of to be read' },
    });
    const wrong = await stage.run(['agents', 'mail', 'read', name, '--message-ref', ref, '--box', 'sent']);
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('is in box inbox') });
    expect((await one('peek')).message.read).toBe(false);
    expect(await one('read', '--box', 'inbox')).toMatchObject({
      ...vouched('read'),
      message: { read: true },
    });
    expect((await one('peek')).message.read).toBe(true);
  });

  test('list filters by box, marks, time and number', async () => {
    const before = new Date(Date.now() - 1000).toISOString();
    const first = await stage.send(other, name, 'filter one');
    await stage.send(other, name, 'filter two');
    await mail('mark', name, '--message-ref', first, '--read', '--answered');
    const listed = async (...args: string[]) =>
      subjects(await mail('list', name, '--since', before, ...args))
        .filter((subject) => subject.startsWith('filter'))
        .sort();
    expect(await listed()).toEqual(['filter one', 'filter two']);
    expect(await listed('--read-state', 'unread')).toEqual(['filter two']);
    expect(await listed('--answered-state', 'answered')).toEqual(['filter one']);
    expect(await listed('--archived')).toEqual([]);
    expect(await listed('--not-archived')).toEqual(['filter one', 'filter two']);
    expect(await listed('--box', 'sent')).toEqual([]);
    expect(subjects(await mail('list', name, '--since', '2100-01-01'))).toEqual([]);
    const newest = await mail('list', name, '--limit', '1', '--include-body');
    expect(newest).toMatchObject({ ...vouched('list'), box: 'inbox', message_count: 1 });
    expect(newest.messages[0].body_text).toMatch(/^of /);
    expect((await mail('list', name, '--limit', '1')).messages[0].body_text).toBeNull();
  });

  test('check lists what is open in the inbox; mark-read and archive take mail out of it', async () => {
    const [kept, seen, stored] = [
      await stage.send(other, name, 'check kept'),
      await stage.send(other, name, 'check seen'),
      await stage.send(other, name, 'check stored'),
    ];
    const checked = async (...args: string[]) =>
      subjects(await mail('check', name, ...args)).filter((subject) => subject.startsWith('check'));
    expect((await checked()).sort()).toEqual(['check kept', 'check seen', 'check stored']);
    expect(await mail('mark-read', name, '--message-ref', seen)).toMatchObject({
      ...vouched('mark-read'),
      message_count: 1,
      messages: [{ message_ref: seen, read: true }],
    });
    expect(await mail('archive', name, '--message-ref', stored)).toMatchObject({
      ...vouched('archive'),
      messages: [{ message_ref: stored, box: 'archive', archived: true, read: true }],
    });
    expect((await checked()).sort()).toEqual(['check kept', 'check seen']);
    expect(await checked('--unread-only')).toEqual(['check kept']);
    expect(await mail('check', name, '--limit', '1')).toMatchObject({
      ...vouched('check'),
      unread_only: false,
      box: 'inbox',
      message_count: 1,
    });
    await mail('mark-read', name, '--message-ref', kept);
  });

  test('mark and move change all messages that are named, each once, or none', async () => {
    const refs = [await stage.send(other, name, 'many one'), await stage.send(other, name, 'many two')];
    const named = refs.flatMap((ref) => ['--message-ref', ref]);
    const moved = await mail('move', name, ...named, ...named, '--destination-box', 'projects');
    expect(moved).toMatchObject({ ...vouched('move'), message_count: 2 });
    expect(moved.messages.map(({ box }: Answer) => box)).toEqual(['projects', 'projects']);
    const unknown = 'filesystem:msg-20260101T000000Z-00000000000000000000000000000000';
    const refused = await stage.run([
      'agents',
      'mail',
      'mark',
      name,
      ...named,
      '--message-ref',
      unknown,
      '--read',
    ]);
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(unknown.slice(11)),
    });
    expect((await mail('list', name, '--box', 'projects')).unread_count).toBe(2);
    const back = await mail('mark', name, ...named, '--unarchived', '--unread');
    expect(back).toMatchObject({ ...vouched('mark'), messages: [{ box: 'inbox' }, { box: 'inbox' }] });
  });

  test('a reply goes to the sender and marks its parent read and answered', async () => {
    const ref = await stage.send(other, name, 'a question');
    const replied = await mail('reply', name, '--message-ref', ref, '--body-content', 'Yes.');
    expect(replied).toMatchObject({
      ...vouched('reply'),
      message: { subject: 'Re: a question', to: [{ address: addressOf(other) }], thread_ref: ref },
    });
    expect((await mail('peek', name, '--message-ref', ref)).message).toMatchObject({
      read: true,
      answered: true,
    });
  });

  test('a note of the operator is in the inbox, and takes replies unless it refuses them', async () => {
    const note = (...args: string[]) =>
      mail('post', name, '--subject', 'a note', '--body-content', 'Go on.', ...args);
    const posted = await note();
    expect(posted).toMatchObject({
      ...vouched('post'),
      message: { box: 'inbox', read: false, sender: { address: 'HOUMAO-operator@houmao.localhost' } },
    });
    const reply = (ref: string) =>
      stage.run(['agents', 'mail', 'reply', name, '--message-ref', ref, '--body-content', 'ok']);
    expect(await reply(posted.message.message_ref)).toMatchObject({ code: 0 });
    const closed = await note('--reply-policy', 'none');
    expect(await reply(closed.message.message_ref)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('takes no replies'),
    });
  });
});
