import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { readManifest } from '../../../src/session/manifest.js';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { call, waitFinal } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';
import { heldAgent, linesOf, storedRequests, takenPrompts } from '../recovery/evidence.js';

/** Two machines: each has its own home, runtime folder and registry. */
const folder = temporaryFolder();
const homes = ['one', 'two'].map((name) => join(folder, name));
const [here = '', there = ''] = homes;
const environmentOf = (home: string) => ({ ...managerEnvironment(home), HOUMAO_STANDIN_LEDGER: ledger });
const ledger = join(folder, 'ledger.jsonl');
const archive = join(folder, 'alpha.tar.gz');
const run = (home: string, ...args: string[]) => manage(environmentOf(home), args);
const json = async (home: string, ...args: string[]) => {
  const ran = await run(home, ...args, '--json');
  expect([ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([0, '']);
  return JSON.parse(ran.stdout);
};
const tool = ['--tool', 'claude', '--headless', '--no-tmux', '--executable', standinProgram];
const rootOf = async (home: string, name: string) =>
  (await json(home, 'agents', 'list')).agents.find(
    (one: { agent_name: string }) => one.agent_name === `HOUMAO-${name}`,
  )?.session_root;

let url: string;
beforeAll(async () => {
  for (const home of homes) mkdirSync(join(home, 'project'), { recursive: true });
  const launched = await json(
    here,
    ...[
      'agents',
      'launch',
      ...tool,
      '--name',
      'alpha',
      '--workdir',
      join(here, 'project'),
      '--retain-days',
      '90',
    ],
    ...['--env', `HOUMAO_STANDIN_LEDGER=${ledger}`, '--env', 'ANTHROPIC_API_KEY=sk-very-secret'],
  );
  url = launched.gateway_url;
});
afterAll(async () => {
  for (const home of homes) await run(home, 'agents', 'stop', '--all');
});

const submit = async (prompt: string): Promise<string> => {
  const { status, body } = await call(url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt },
  });
  expect(status).toBe(202);
  return body.request_id;
};

test('a backup under load, restored on another machine: every request of before is there once, nothing runs twice', async () => {
  const done = await submit('done before');
  await waitFinal(url, done);
  const running = await submit('[[slow=60000]] runs meanwhile');
  await heldAgent(ledger, 'runs meanwhile');
  const before: string[] = [];
  for (let n = 0; n < 3; n += 1) before.push(await submit(`waits ${n}`));
  let isSaving = true;
  const load = (async () => {
    let count = 0;
    for (; isSaving; count += 1) await submit(`during ${count}`);
    return count;
  })();
  const brainFile = join(await rootOf(here, 'alpha'), 'brain.yaml');
  const brain = parse(readFileSync(brainFile, 'utf8'));
  brain.runtime.launch_contract = {
    ...brain.runtime.launch_contract,
    env_records: { OWN_TOKEN: 'sk-very-secret-2' },
  };
  writeFileSync(brainFile, stringify(brain));
  const saved = await json(here, 'backup', archive, 'alpha');
  isSaving = false;
  expect(await load).toBeGreaterThan(0);
  expect(saved.agents).toMatchObject([
    { agent_name: 'HOUMAO-alpha', secrets: ['ANTHROPIC_API_KEY', 'OWN_TOKEN'] },
  ]);
  expect(execFileSync('tar', ['-xzOf', archive]).includes('sk-very-secret')).toBe(false);

  const [restored] = (await json(there, 'restore', archive)).agents;
  expect(restored).toMatchObject({
    queue_paused: true,
    requests_ended: 1,
    secrets_missing: ['ANTHROPIC_API_KEY', 'OWN_TOKEN'],
  });
  const paths = sessionPaths(restored.session_root);
  expect(restored.session_root.startsWith(there)).toBe(true);
  expect(readFileSync(paths.manifest, 'utf8')).not.toContain(here);
  expect(readManifest(paths.manifest).working_directory).toBe(join(there, 'project'));
  const database = openDatabase(paths.queue);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
  const states = new Map(storedRequests(paths).map(({ request_id, state }) => [request_id, state]));
  expect([states.get(done), states.get(running)]).toEqual(['completed', 'failed']);
  for (const id of before) expect(states.get(id)).toBe('accepted');

  const back = await json(there, 'agents', 'restart', 'alpha');
  const queue = await call(back.gateway_url, 'GET', '/v1/control/queue');
  expect(queue.body).toMatchObject({ paused: true, queue_depth: restored.requests_waiting });
  expect((await call(back.gateway_url, 'GET', '/v1/about')).body.keeping.retain_days).toBe(90);
  const { body } = await call(back.gateway_url, 'GET', `/v1/requests/${running}`);
  expect(body).toMatchObject({ state: 'failed', error: { code: 'gateway_restarted' } });
  // The turn that ran goes on where it was saved.
  expect((await call(url, 'GET', `/v1/requests/${running}`)).body.state).toBe('running');
  const events = linesOf(paths.events).map((line) => JSON.parse(line).seq);
  expect(events).toEqual(events.map((_seq, index) => index + 1));

  await run(here, 'agents', 'stop', 'alpha');
  await run(there, 'agents', 'gateway', 'resume', 'alpha');
  for (const id of before)
    expect(await waitFinal(back.gateway_url, id)).toMatchObject({ state: 'completed', error: null });
  const prompts = takenPrompts(ledger).map(({ prompt }) => prompt);
  expect(prompts.filter((prompt) => prompt?.startsWith('waits'))).toEqual(
    before.map((_id, n) => `waits ${n}`),
  );
  expect(prompts.filter((prompt) => prompt?.includes('runs meanwhile')).length).toBe(1);
}, 180_000);

test('nothing is written over: neither an agent, nor a session root, nor an archive', async () => {
  const root = await rootOf(there, 'alpha');
  const taken = await run(there, 'restore', archive, '--json');
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('already exists')]);
  const rooted = await run(there, 'restore', archive, '--as', 'beta', '--root', root);
  expect([rooted.code, rooted.stderr]).toEqual([1, expect.stringContaining(`${root} exists`)]);
  const again = await run(there, 'backup', archive, 'alpha');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('it exists')]);
  const elsewhere = join(folder, 'beta');
  const [beta] = (await json(there, 'restore', archive, '--as', 'beta', '--root', elsewhere)).agents;
  expect(beta).toMatchObject({ agent_name: 'HOUMAO-beta', session_root: elsewhere });
  expect(await rootOf(there, 'beta')).toBe(elsewhere);
  // Under another name it stands beside the one that was saved.
  const [delta] = (await json(there, 'restore', archive, '--as', 'delta')).agents;
  expect([delta.agent_name, delta.session_root]).toEqual(['HOUMAO-delta', `${root}-delta`]);
});

test('a cut, a foreign and a malicious archive are refused, and nothing is written', async () => {
  const cut = join(folder, 'cut.tar.gz');
  writeFileSync(cut, readFileSync(archive));
  truncateSync(cut, 3000);
  const foreign = join(folder, 'foreign.tar.gz');
  writeFileSync(join(folder, 'something'), 'else');
  await create({ file: foreign, gzip: true, cwd: folder }, ['something']);
  const slip = join(folder, 'slip.tar.gz');
  writeFileSync(join(folder, 'slipped'), 'out');
  mkdirSync(join(folder, 'inner'));
  await create({ file: slip, gzip: true, cwd: join(folder, 'inner'), preservePaths: true }, ['../slipped']);
  const elsewhere = join(folder, 'gamma');
  for (const file of [cut, foreign, slip, join(folder, 'missing.tar.gz')]) {
    const ran = await run(there, 'restore', file, '--as', 'gamma', '--root', elsewhere);
    expect([file, ran.code]).toEqual([file, 1]);
    expect(ran.stderr).toContain(file);
    expect(existsSync(elsewhere)).toBe(false);
  }
});
