import { readFileSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { serve } from './support/served.js';

const served = serve();
const status = async () => (await served.ask('GET', '/v1/status')).body;
const stateFile = () => JSON.parse(readFileSync(served.session.paths.state, 'utf8'));

describe('GET /health', () => {
  test('is those two keys, also while the agent works', async () => {
    const { headers } = await served.ask('POST', '/v1/control/prompt', { prompt: '[[slow=60000]] busy' });
    const { status: code, body } = await served.ask('GET', '/health');
    expect([code, body]).toEqual([200, { protocol_version: 'v1', status: 'ok' }]);
    await served.interrupt();
    await served.ended(headers.get('x-houmao-turn-id') ?? '');
  });

  test('takes no parameter', async () => {
    expect((await served.ask('GET', '/health?verbose=1')).status).toBe(422);
  });
});

describe('GET /v1/status', () => {
  test('has every field of the compatible shape, nulls included', async () => {
    await served.idle();
    const answer = await served.ask('GET', '/v1/status');
    const session = served.session.paths.root.split('/').at(-1);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      schema_version: 1,
      protocol_version: 'v1',
      attach_identity: session,
      backend: 'claude_headless',
      tmux_session_name: expect.stringMatching(/\S/),
      gateway_health: 'healthy',
      managed_agent_connectivity: 'connected',
      managed_agent_recovery: 'idle',
      request_admission: 'open',
      terminal_surface_eligibility: 'ready',
      active_execution: 'idle',
      execution_mode: 'detached_process',
      queue_depth: 0,
      gateway_host: '127.0.0.1',
      gateway_port: served.gateway.port,
      gateway_tmux_window_id: null,
      gateway_tmux_window_index: null,
      gateway_tmux_pane_id: null,
      managed_agent_instance_epoch: 1,
      managed_agent_instance_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('counts what waits and says that a turn runs', async () => {
    const first = (await served.prompt('[[slow=60000]] first')).body.request_id;
    await served.prompt('second');
    await expect.poll(async () => (await status()).active_execution).toBe('running');
    expect(await status()).toMatchObject({
      queue_depth: 2,
      request_admission: 'open',
      terminal_surface_eligibility: 'ready',
    });
    await served.interrupt();
    await served.final(first);
    expect(await served.idle()).toMatchObject({ active_execution: 'idle' });
  });

  test('takes no parameter', async () => {
    const { status: code, body } = await served.ask('GET', '/v1/status?fresh=1');
    expect([code, body.detail[0].type]).toEqual([422, 'extra_forbidden']);
  });
});

/** Resolves with what a test makes of the folder, looked at again whenever a file in it changes. */
function whenFolder<T>(folder: string, look: () => T | null): Promise<T> {
  return new Promise((resolve, reject) => {
    const watcher = watch(folder, () => again());
    const patience = setTimeout(() => reject(new Error(`nothing of the kind in ${folder}`)), 20_000);
    const again = (): void => {
      const found = look();
      if (found === null) return;
      clearTimeout(patience);
      watcher.close();
      resolve(found);
    };
    again();
  });
}

describe('state.json', () => {
  test('is the status, in its compatible form', async () => {
    const body = await served.idle();
    await whenFolder(dirname(served.session.paths.state), () =>
      isDeepStrictEqual(stateFile(), body) ? true : null,
    );
    const text = readFileSync(served.session.paths.state, 'utf8');
    expect(text).toBe(`${JSON.stringify(body, Object.keys(body).sort(), 2)}\n`);
  });

  test('follows each change, and is not written without one', async () => {
    await served.idle();
    for (let round = 0; round < 2; round += 1) {
      const prompt = await served.ask('POST', '/v1/control/prompt', { prompt: '[[slow=60000]] x' });
      expect(prompt.status).toBe(200);
      await whenFolder(dirname(served.session.paths.state), () =>
        stateFile().active_execution === 'running' ? true : null,
      );
      await expect.poll(async () => isDeepStrictEqual(stateFile(), await status())).toBe(true);
      await served.interrupt();
      await served.ended(prompt.headers.get('x-houmao-turn-id') ?? '');
    }
    // All that the turn changes is in the file: nothing is left to be written.
    const last = await served.idle();
    await whenFolder(dirname(served.session.paths.state), () =>
      isDeepStrictEqual(stateFile(), last) ? true : null,
    );

    const { ino, mtimeMs } = statSync(served.session.paths.state);
    for (let round = 0; round < 20; round += 1) await status();
    expect(statSync(served.session.paths.state)).toMatchObject({ ino, mtimeMs });
  });

  test('and the published instance say where this gateway is', () => {
    const instance = JSON.parse(readFileSync(served.session.paths.currentInstance, 'utf8'));
    expect(instance).toMatchObject({
      pid: served.gateway.child.pid,
      host: '127.0.0.1',
      port: served.gateway.port,
      managed_agent_instance_epoch: 1,
      managed_agent_instance_id: stateFile().managed_agent_instance_id,
    });
  });
});
