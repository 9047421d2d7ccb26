import { lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../../contract/support/served.js';

/** Every file and folder below, with its rights. The next version of a file counts while it is written beside it. */
function rightsBelow(folder: string): [path: string, mode: number, directory: boolean][] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found ? [[relative(folder, path), found.mode & 0o777, entry.isDirectory()]] : [];
  });
}

const served = serve();

test('the files of a session are private: 0600, folders 0700, the root included', async () => {
  const { body } = await served.prompt('Hello');
  expect((await served.final(body.request_id)).state).toBe('completed');
  const reminder = { mode: 'one_off', title: 't', prompt: 'p', ranking: 0, start_after_seconds: 3600 };
  expect((await served.ask('POST', '/v1/reminders', { reminders: [reminder] })).status).toBe(200);
  const { root } = served.session.paths;
  const all = rightsBelow(root);
  expect(all.map(([path]) => path)).toEqual(
    expect.arrayContaining([
      'agent.env',
      'gateway/access-token',
      'gateway/queue.sqlite',
      'gateway/queue.sqlite-wal',
      'gateway/logs/gateway.log',
      'gateway/run/current-instance.json',
    ]),
  );
  const open = all.filter(([, mode, directory]) => mode !== (directory ? 0o700 : 0o600));
  expect(open.map(([path, mode]) => `${path} ${mode.toString(8)}`)).toEqual([]);
  expect(lstatSync(root).mode & 0o777).toBe(0o700);
});
