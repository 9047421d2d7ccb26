import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../src/foundation/clock.js';
import { type NotificationMessage, testMessage } from '../../../../src/server/notifications/message.js';
import { LocalPrograms } from '../../../../src/server/notifications/programs.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const never = new AbortController().signal;
const programs = (more: { milliseconds?: number; environment?: NodeJS.ProcessEnv } = {}) =>
  new LocalPrograms({
    environment: { PATH: `${folder}:/usr/bin:/bin` },
    home: folder,
    milliseconds: 60_000,
    clock: systemClock,
    ...more,
  });
const script = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
};
const plain = testMessage({ notificationId: 'notif-1', baseUrl: 'http://127.0.0.1:9889', nowUtc: 'now' });
const asking: NotificationMessage = {
  ...plain,
  type: 'dialog_shown',
  data: {
    ...plain.data,
    title: '--alpha needs you',
    tracked_agent_id: 'HOUMAO-alpha',
    agent_name: 'alpha',
    question: {
      text: 'rm <all> & go?',
      choices: [],
      answer_url: '',
      page_url: '',
      command: 'houmao-mgr agents answer alpha',
    },
  },
};

test('the desktop gets title and question as arguments, a question as critical', async () => {
  script('notify-send', `printf '%s\\n' "$@" > ${folder}/shown`);
  expect(await programs().show(asking, never)).toMatchObject({ code: 'delivered', status: 0 });
  expect(readFileSync(join(folder, 'shown'), 'utf8').split('\n')).toEqual([
    ...['--app-name=Houmao', '--urgency=critical', '--', '--alpha needs you'],
    ...['rm &lt;all&gt; &amp; go?', 'houmao-mgr agents answer alpha', ''],
  ]);
  await programs().show(plain, never);
  expect(readFileSync(join(folder, 'shown'), 'utf8')).toMatch(/--urgency=normal/);
});

test('a machine without notify-send says what to install', async () => {
  const attempt = await programs({ environment: { PATH: folder } }).show(asking, never);
  expect([attempt.code, attempt.detail]).toEqual(['no_program', expect.stringMatching(/libnotify-bin/)]);
});

test('a command gets the message on its input and what it is about in its environment, and no shell', async () => {
  const command = script(
    'on-event',
    `cat > got; printf '%s\\n' "$1" "$HOUMAO_EVENT_KIND" "$HOUMAO_EVENT_AGENT" "$HOUMAO_EVENT_AGENT_ID" "$HOUMAO_EVENT_MESSAGE_ID" > said; echo done`,
  );
  const attempt = await programs().call([command, '$(touch injected)'], 'msg_1', asking, never);
  expect([attempt.code, attempt.detail.endsWith('done')]).toEqual(['delivered', true]);
  expect(JSON.parse(readFileSync(join(folder, 'got'), 'utf8'))).toEqual(asking);
  expect(readFileSync(join(folder, 'said'), 'utf8').split('\n')).toEqual([
    ...['$(touch injected)', 'dialog_shown', 'alpha', 'HOUMAO-alpha', 'msg_1', ''],
  ]);
  expect(existsSync(join(folder, 'injected'))).toBe(false);
});

test('a command that fails says how, with the end of its output', async () => {
  const command = script('fails', `head -c 100000 /dev/zero | tr '\\0' x; echo the end >&2; exit 3`);
  const attempt = await programs().call([command], 'msg_1', asking, never);
  expect(attempt).toMatchObject({ code: 'program_failed', status: 3 });
  expect([attempt.detail.length < 1200, attempt.detail.endsWith('the end')]).toEqual([true, true]);
  expect(await programs().call([join(folder, 'none')], 'msg_1', asking, never)).toMatchObject({
    code: 'no_program',
  });
});

test('a command that does not end is ended with everything that it started', async () => {
  const command = script('hangs', `sleep 1000 & echo $! > child; wait`);
  const started = programs({ milliseconds: 1000 }).call([command], 'msg_1', asking, never);
  expect(await started).toMatchObject({ code: 'timeout' });
  await expectGone(Number(readFileSync(join(folder, 'child'), 'utf8')));
});

test('what a command leaves running in its group does not outlive it', async () => {
  const command = script('leaves', `sleep 1000 & echo $! > child`);
  expect(await programs().call([command], 'msg_1', asking, never)).toMatchObject({ code: 'delivered' });
  await expectGone(Number(readFileSync(join(folder, 'child'), 'utf8')));
});

const expectGone = (pid: number) =>
  expect
    .poll(() => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
      } catch {
        return 'gone';
      }
    })
    .toMatch(/^(gone|Z)$/);
