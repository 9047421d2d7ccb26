// A prompt that was taken is answered again under its key, whatever has become of its agent or its gateway since.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { startGateway } from '../../support/gateway-process.js';
import type { Answer } from '../../support/http.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { agentAtServerEach } from '../support/agent-at-server.js';

const key = { 'Idempotency-Key': 'once' };
const promptOf = (prompt: string) => ({ request_kind: 'submit_prompt', prompt });

function expectReplay(again: Answer, first: Answer): void {
  expect([again.status, again.body.detail]).toEqual([200, first.body.detail]);
  expect(again.body).toEqual(first.body);
  for (const name of ['x-houmao-turn-id', 'x-houmao-request-id', 'location'])
    expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
}

describe('a headless agent', () => {
  const here = agentAtServerEach();
  const post = (rest: string, body: unknown, headers?: Record<string, string>) =>
    here.server.ask('POST', pathOf(here.session, rest), body, headers);
  const ended = (turnId: string) =>
    here.server.ask('GET', pathOf(here.session, `/turns/${turnId}?wait_seconds=30`));

  test.each([
    ['/requests', promptOf('[[slow=1500]] left'), 503],
    ['/turns', { prompt: '[[slow=1500]] left' }, 409],
  ] as const)(
    'whose gateway died over the turn, and whose manifest was spoilt meanwhile: %s',
    async (rest, body, refused) => {
      const gateway = await startGateway(here.session);
      const first = await post(rest, body, key);
      expect(first.status).toBe(200);
      await expect.poll(() => takenPrompts(here.session.ledger)).toHaveLength(1);
      const manifest = readFileSync(here.session.paths.manifest, 'utf8');
      writeFileSync(here.session.paths.manifest, '{');
      await gateway.kill();
      expect((await post(rest, body, { 'Idempotency-Key': 'other' })).status).toBe(refused);
      expectReplay(await post(rest, body, key), first);
      writeFileSync(here.session.paths.manifest, manifest);
      const turnId = first.body.turn_id ?? first.body.headless_turn_id;
      expect((await ended(turnId)).body).toMatchObject({ status: 'completed' });
      expectReplay(await post(rest, body, key), first);
      expect(takenPrompts(here.session.ledger)).toHaveLength(1);
      // The server looks at sessions from time to time: it may have met the spoilt file, and then says so.
      for (const fault of here.server.faults.splice(0)) expect(fault).toContain(here.session.paths.manifest);
    },
  );

  test('that was replaced, and whose queued work is not settled', async () => {
    const first = await post('/requests', promptOf('before'), key);
    await ended(first.body.headless_turn_id);
    writeFileSync(here.session.paths.state, JSON.stringify({ request_admission: 'blocked_reconciliation' }));
    expect((await post('/requests', promptOf('after'))).status).toBe(409);
    expectReplay(await post('/requests', promptOf('before'), key), first);
  });

  test('whose gateway took the key by another way, or with another body, refuses it', async () => {
    const gateway = await startGateway(here.session);
    const first = await post('/requests', promptOf('one'), key);
    await ended(first.body.headless_turn_id);
    const refusals = async () => [
      await post('/turns', { prompt: 'one' }, key),
      await post('/requests', promptOf('two'), key),
    ];
    const expectRefusals = async () => {
      for (const refused of await refusals()) {
        expect(refused.status).toBe(422);
        expect(refused.headers.get('x-houmao-error-code')).toBe('key_reused');
      }
    };
    await expectRefusals();
    await gateway.kill();
    await expectRefusals();
    expect(takenPrompts(here.session.ledger)).toHaveLength(1);
  });
});

describe('an agent in a terminal', () => {
  const tmux = ownTmux();
  let server: ManagedServer;
  let folder: string;
  let ledger: string;
  beforeEach(async () => {
    folder = temporaryFolder(tmux);
    ledger = join(folder, 'ledger');
    server = await openManagedServer(folder, tmux);
  });
  afterEach(async () => {
    await ask('POST', '/stop');
    await server.close();
  });
  const ask = (method: string, rest: string, body?: unknown, headers?: Record<string, string>) =>
    server.ask(method, `/houmao/agents/typed${rest}`, body, headers);
  /** @param misbehaves how, on its screen. */
  async function launch(misbehaves = 'clock') {
    const paths = await launchOn(server.host, folder, 'typed', {
      terminal: true,
      tmux: true,
      variables: [
        { name: 'HOUMAO_STANDIN_LEDGER', value: ledger },
        { name: 'HOUMAO_STANDIN_TUI', value: misbehaves },
      ],
    });
    await server.server.directory.changed();
    await expect.poll(async () => (await ask('GET', '/state')).body.turn?.phase).toBe('ready');
    return paths;
  }
  /** Whether a turn of the agent has begun, by its records. */
  const isTyping = (): boolean => {
    const found = server.server.directory.resolve('typed');
    const held = found.kind === 'one' ? server.server.sessions.of(found.agent) : null;
    return held?.liveTurnId != null;
  };
  const prompted = (text: string, headers?: Record<string, string>) =>
    ask('POST', '/requests', promptOf(text), headers);

  async function taken(): Promise<Answer> {
    const first = await prompted('last words', key);
    expect([first.status, first.body.detail]).toEqual([200, expect.any(String)]);
    await expect.poll(() => takenPrompts(ledger)).toHaveLength(1);
    return first;
  }
  async function killTool(): Promise<void> {
    const [pid] = takenPrompts(ledger).map((one) => one.pid);
    process.kill(pid ?? 0, 'SIGKILL');
    await expect.poll(async () => (await ask('GET', '/state')).body.availability).toBe('unavailable');
  }

  test('that has died', async () => {
    await launch();
    const first = await taken();
    await killTool();
    const more = await prompted('more');
    expect([more.status, more.body.detail]).toEqual([
      503,
      expect.stringMatching(
        /^The tool has ended in its terminal\. Start claude there again: tmux -S \S+ attach -t /,
      ),
    ]);
    expectReplay(await prompted('last words', key), first);
  });

  test('that has died with its gateway', async () => {
    const paths = await launch();
    expect((await ask('POST', '/gateway/attach', {})).status).toBe(200);
    const first = await taken();
    expect(first.headers.get('x-houmao-request-id')).toMatch(/^gwreq-/);
    process.kill(JSON.parse(readFileSync(paths.currentInstance, 'utf8')).pid, 'SIGKILL');
    await killTool();
    expectReplay(await prompted('last words', key), first);
    expect(takenPrompts(ledger)).toHaveLength(1);
  });

  test('that died over a prompt may have it, and a twin of it hears the same', async () => {
    await launch('slow-draw=1500,session-file=missing');
    const first = prompted('last words', key);
    await expect.poll(() => takenPrompts(ledger), { interval: 10 }).toHaveLength(1);
    await killTool();
    const reported = await first;
    expect([reported.status, reported.headers.get('x-houmao-done')]).toEqual([503, 'unknown']);
    const turnId = reported.headers.get('x-houmao-turn-id');
    expect(reported.body.detail).toMatch(
      new RegExp(`^It is not known whether the agent took the prompt: .+ See turn ${turnId}\\.$`),
    );
    expect((await ask('GET', `/turns/${turnId}/record`)).body).toMatchObject({
      delivery: { state: 'unconfirmed' },
    });
    const twin = await prompted('last words', key);
    expect(twin).toMatchObject({ status: 503, body: reported.body });
    expect(twin.headers.get('x-houmao-turn-id')).toBe(turnId);
    expect(twin.headers.get('x-houmao-done')).toBe('unknown');
  });

  test('that died over a direct prompt to its gateway may have it', async () => {
    await launch('slow-draw=1500,session-file=missing');
    expect((await ask('POST', '/gateway/attach', {})).status).toBe(200);
    await expect
      .poll(async () => (await ask('GET', '/gateway')).body.terminal_surface_eligibility)
      .toBe('ready');
    const direct = () => ask('POST', '/gateway/control/prompt', { prompt: 'last words' }, key);
    const first = direct();
    await expect.poll(() => takenPrompts(ledger), { interval: 10 }).toHaveLength(1);
    await killTool();
    const reported = await first;
    expect(reported).toMatchObject({
      status: 422,
      body: { detail: { sent: false, error_code: 'dispatch_failed' } },
    });
    const turnId = reported.headers.get('x-houmao-turn-id');
    expect(reported.headers.get('x-houmao-done')).toBe('unknown');
    expect((await ask('GET', `/turns/${turnId}/record`)).body).toMatchObject({
      delivery: { state: 'unconfirmed' },
    });
    const twin = await direct();
    expect(twin).toMatchObject({ status: 422, body: reported.body });
    expect([twin.headers.get('x-houmao-turn-id'), twin.headers.get('x-houmao-done')]).toEqual([
      turnId,
      'unknown',
    ]);
  });

  test('that the prompt could not be typed into is not said to have it', async () => {
    await launch('swallow-paste=9');
    const calls = [prompted('lost', key)];
    // While the first one is still being typed.
    await expect.poll(() => isTyping()).toBe(true);
    calls.push(prompted('lost', key));
    const [first, twin] = (await Promise.all(calls)) as [Answer, Answer];
    expect(twin).toMatchObject({ status: 503, body: first.body });
    expect([first.status, first.body.detail]).toEqual([503, expect.stringMatching(/ See turn turn-\w+\.$/)]);
    expect(first.headers.get('x-houmao-done')).toBeNull();
    expect(await prompted('lost', key)).toMatchObject({ status: 503, body: first.body });
    const [turnId = ''] = /turn-\w+/.exec(first.body.detail) ?? [];
    const record = await ask('GET', `/turns/${turnId}/record`);
    expect(record.body).toMatchObject({ delivery: { state: 'failed' } });
    expect(takenPrompts(ledger)).toEqual([]);
  });
});
