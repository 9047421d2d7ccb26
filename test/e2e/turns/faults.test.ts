import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait, waitFinal } from '../../support/http.js';
import { makeSession, standinProgram } from '../../support/test-session.js';

const submit = (url: string, prompt: string) =>
  call(url, 'POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt } });

/** Waits until the gateway has noticed how its agent is now: what it knows of it may be a second old. */
const expectAdmission = (url: string, admission: string) =>
  expect.poll(async () => (await call(url, 'GET', '/v1/status')).body.request_admission).toBe(admission);

function script(folder: string, text: string): string {
  const path = join(folder, 'agent.sh');
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

test('an executable that is not there: refused with its name; found again, the queue goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-test-'));
  const agent = script(folder, `#!/bin/sh\nexec '${process.execPath}' '${standinProgram}' "$@"\n`);
  const session = await makeSession({ folder, executable: agent });
  const gateway = await startGateway(session);
  const busy = await submit(gateway.url, '[[slow=1500]] holder');
  const waiting = await submit(gateway.url, 'waits for its program');
  renameSync(agent, `${agent}.away`);
  await waitFinal(gateway.url, busy.body.request_id);
  await expect
    .poll(async () => (await call(gateway.url, 'GET', `/v1/requests/${waiting.body.request_id}`)).body)
    .toMatchObject({ state: 'accepted', waiting_reason: { code: 'unavailable' } });
  const refused = await submit(gateway.url, 'refused');
  expect(refused.status).toBe(503);
  expect(refused.body.detail).toContain('agent.sh');
  renameSync(`${agent}.away`, agent);
  expect(await waitFinal(gateway.url, waiting.body.request_id)).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

test('an executable that cannot run fails its turn with a reason, and the worker goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-test-'));
  const session = await makeSession({ folder, executable: script(folder, '#!/no/such/interpreter\n') });
  const gateway = await startGateway(session);
  const first = await promptAndWait(gateway.url, 'one');
  expect(first).toMatchObject({
    state: 'failed',
    error: { code: 'agent_missing' },
    turn: { delivery: { state: 'failed' } },
  });
  expect(first.error.detail).toContain('agent.sh');
  expect(await promptAndWait(gateway.url, 'two')).toMatchObject({
    state: 'failed',
    error: { code: 'agent_missing' },
  });
  const sent = await call(gateway.url, 'POST', '/v1/control/prompt', { prompt: 'three' });
  expect(sent).toMatchObject({ status: 422, body: { detail: { error_code: 'dispatch_failed' } } });
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

test('turn files that cannot be written fail the turn with a reason, and the worker goes on', async () => {
  const session = await makeSession();
  // A file in the folder's place: permissions would not stop root.
  writeFileSync(session.paths.turnArtifacts, 'in the way');
  const gateway = await startGateway(session);
  const record = await promptAndWait(gateway.url, 'nowhere to write');
  expect(record).toMatchObject({ state: 'failed', error: { code: 'internal_fault' } });
  expect(record.error.detail).toMatch(/files of the turn could not be written \(E\w+\)/);
  rmSync(session.paths.turnArtifacts);
  expect(await promptAndWait(gateway.url, 'now it works')).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

test('the folder of a turn that vanishes while it runs costs its files, not its answer nor the gateway', async () => {
  const session = await makeSession();
  const gateway = await startGateway(session);
  const { request_id } = (await submit(gateway.url, '[[slow=3000]] sawn off')).body;
  // Its rows are being read.
  await expect
    .poll(
      async () => (await call(gateway.url, 'GET', `/v1/requests/${request_id}`)).body.turn?.delivery.state,
    )
    .toBe('confirmed');
  rmSync(session.paths.turnArtifacts, { recursive: true, force: true });
  expect(await waitFinal(gateway.url, request_id)).toMatchObject({
    state: 'completed',
    turn: { exit_code: null, artifacts: [], answer: { text: expect.stringContaining('sawn off') } },
  });
  expect(await promptAndWait(gateway.url, 'still here')).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

test('a damaged manifest while running: refused, and mended it goes on', async () => {
  const session = await makeSession();
  const gateway = await startGateway(session);
  const manifest = readFileSync(session.paths.manifest);
  writeFileSync(session.paths.manifest, '{ half a');
  await expectAdmission(gateway.url, 'blocked_unavailable');
  expect((await submit(gateway.url, 'x')).status).toBe(503);
  expect((await call(gateway.url, 'GET', '/health')).status).toBe(200);
  expect(readFileSync(session.paths.manifest, 'utf8')).toBe('{ half a');
  writeFileSync(session.paths.manifest, manifest);
  await expectAdmission(gateway.url, 'open');
  expect(await promptAndWait(gateway.url, 'mended')).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

test('values of the environment stay out of rows, events, logs, errors and answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-test-'));
  const secret = 'correct-horse-battery-staple-4711';
  // Blurts its key out in an error row and on stderr, as CLIs do when a provider refuses it.
  const agent = script(
    folder,
    `#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"11111111-2222-4333-8444-555555555555"}'
echo "error: invalid key $ANTHROPIC_API_KEY" >&2
printf '{"type":"result","subtype":"error","is_error":true,"session_id":"11111111-2222-4333-8444-555555555555","result":"API Error: 401 key %s refused"}\\n' "$ANTHROPIC_API_KEY"
exit 1
`,
  );
  const session = await makeSession({
    folder,
    executable: agent,
    environment: { PATH: process.env.PATH ?? '', HOME: folder, ANTHROPIC_API_KEY: secret },
  });
  const gateway = await startGateway(session);
  const record = await promptAndWait(gateway.url, 'say the key');
  expect(record).toMatchObject({ state: 'failed', error: { code: 'api_error' } });
  expect(record.error.detail).toContain('401');
  const answers = [
    record,
    (await call(gateway.url, 'GET', '/v1/requests')).body,
    (await call(gateway.url, 'GET', `/v1/turns/${record.turn.turn_id}`)).body,
  ];
  expect(JSON.stringify(answers)).not.toContain(secret);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.stderr()).not.toContain(secret);
  const holding = filesIn(session.paths.gateway).filter((path) => readFileSync(path).includes(secret));
  expect(holding).toEqual([]);
  session.remove();
});

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

test('a working directory that is gone: unavailable, in words', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-test-'));
  const work = join(folder, 'work');
  mkdirSync(work);
  chmodSync(work, 0o700);
  const session = await makeSession({ folder, workingDirectory: work });
  const gateway = await startGateway(session);
  expect(await promptAndWait(gateway.url, 'here')).toMatchObject({ state: 'completed' });
  rmSync(work, { recursive: true });
  await expectAdmission(gateway.url, 'blocked_unavailable');
  const refused = await submit(gateway.url, 'there');
  expect(refused).toMatchObject({ status: 503 });
  expect(refused.body.detail).toMatch(/working directory/);
  expect(await gateway.stop()).toBe(0);
  session.remove();
});
