import { appendFileSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// The log of an agent's gateway, which need not run.

const folder = temporaryFolder();
let server: ManagedServer;
let log = '';
const read = (query = '') => server.ask('GET', `/houmao/agents/alpha/log${query}`);

beforeAll(async () => {
  server = await openManagedServer(folder);
  ({ log } = await launchOn(server.host, folder, 'alpha'));
  await server.server.directory.changed();
});
afterAll(() => server.close());

test('is empty before a gateway has written one, then has its last lines, and is followed over a rotation', async () => {
  const none = await read('?lines=5');
  expect(none).toMatchObject({
    status: 200,
    body: { schema_version: 1, path: log, lines: [], next_after: '0-0' },
  });
  mkdirSync(dirname(log), { recursive: true });
  appendFileSync(log, 'one\ntwo\nthree\n');
  expect((await read('?lines=2')).body.lines).toEqual(['two', 'three']);
  expect((await read('?after=0-0')).body.lines).toEqual(['one', 'two', 'three']);
  const { next_after: after } = (await read()).body;
  const waiting = read(`?after=${after}&wait_seconds=60`);
  appendFileSync(log, 'four\n');
  expect((await waiting).body.lines).toEqual(['four']);
  renameSync(log, `${log}.1`);
  appendFileSync(log, 'five\n');
  const first = (await read(`?after=${after}`)).body;
  expect(first.lines).toEqual(['four']);
  expect((await read(`?after=${first.next_after}`)).body.lines).toEqual(['five']);
});

test.each(['lines=-1', 'lines=2001', 'after=yesterday', 'wait_seconds=61', 'limit=5'])(
  '?%s is refused',
  async (query) => expect((await read(`?${query}`)).status).toBe(422),
);
