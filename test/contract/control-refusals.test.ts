import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/http.js';
import { becomeBackend, editManifest, replaceInstance } from './support/edit-manifest.js';
import { readEvents } from './support/events.js';
import { type Served, serve, serveEach } from './support/served.js';

const invalid = { prompt: ' ' };
const levelZero = { execution: { model: { reasoning: { level: 0 } } } };
const current = { chat_session: { mode: 'current' } };

function refusal(answer: Answer, status: number, code: string, forced = false): string {
  expect([answer.status, answer.body.detail.error_code]).toEqual([status, code]);
  expect(answer.body).toEqual({
    detail: {
      status: 'error',
      action: 'submit_prompt',
      sent: false,
      forced,
      error_code: code,
      detail: expect.stringMatching(/\S/),
    },
  });
  return answer.body.detail.detail;
}
const sender =
  (served: Served) =>
  (body: object, prompt = 'x') =>
    served.ask('POST', '/v1/control/prompt', { prompt, ...body });

/**
 * Each check of prompt control comes before the next one: what is sent would break both
 * (docs/decisions.md#prompt-refusals).
 */
describe('the refusals of prompt control, in their order', () => {
  describe('on an agent of a backend that cannot be driven', () => {
    const served = serve(({ paths }) => becomeBackend(paths, 'codex_app_server'));
    const send = sender(served);

    test('an invalid body comes first, then unsupported_backend', async () => {
      expect((await send(invalid)).body.detail[0].loc).toEqual(['body', 'prompt']);
      refusal(await send(levelZero), 501, 'unsupported_backend');
      refusal(await send({ ...levelZero, force: true }), 501, 'unsupported_backend', true);
    });
  });

  describe('on an agent that was replaced', () => {
    const served = serve();
    const send = sender(served);

    test('blocked_reconciliation comes before the model, also with force; an invalid body comes before it', async () => {
      await served.restart(() => replaceInstance(served.session.paths));
      expect((await send(invalid)).status).toBe(422);
      expect(refusal(await send(levelZero), 409, 'blocked_reconciliation')).toContain(
        '/v1/control/reconcile',
      );
      refusal(await send({ ...levelZero, force: true }), 409, 'blocked_reconciliation', true);
    });
  });

  describe('on an agent that is gone', () => {
    const served = serveEach();
    const send = sender(served);
    const gone = async (body: object = {}) => {
      const found = await send({ ...levelZero, ...body });
      expect(
        await served.ask('POST', '/v1/requests', {
          kind: 'submit_prompt',
          payload: { prompt: 'x', ...levelZero },
        }),
      ).toMatchObject({
        status: 503,
        body: { detail: expect.stringMatching(/unavailable/) },
      });
      return found;
    };

    test('a missing working directory is unavailable, before the model and with force', async () => {
      const folder = join(served.session.folder, 'work');
      await served.restart(() =>
        editManifest(served.session.paths, (manifest) => {
          manifest.working_directory = folder;
        }),
      );
      refusal(await gone(), 503, 'unavailable');
      refusal(await gone({ force: true }), 503, 'unavailable', true);
      expect((await send(invalid)).status).toBe(422);
      mkdirSync(folder);
      await served.restart();
      expect((await send({})).status).toBe(200);
    });

    test('so is a missing program', async () => {
      await served.restart(() =>
        editManifest(served.session.paths, (manifest) => {
          manifest.launch_plan.executable = join(served.session.folder, 'no-such-program');
        }),
      );
      refusal(await gone(), 503, 'unavailable');
    });

    test('and so is one whose manifest cannot be read any more', async () => {
      writeFileSync(served.session.paths.manifest, '{ "schema_version": ');
      await expect.poll(async () => (await send({})).status).toBe(503);
      refusal(await send({}), 503, 'unavailable');
    });
  });

  describe('on an agent that could take it', () => {
    const served = serveEach();
    const send = sender(served);

    test('a session that lost its headless section is dispatch_failed, also for a queued prompt', async () => {
      editManifest(served.session.paths, (manifest) => {
        manifest.headless = null;
      });
      expect(refusal(await send({}), 422, 'dispatch_failed')).toContain('no headless section');
      const queued = await served.prompt('for nobody');
      expect((await served.final(queued.body.request_id)).error.code).toBe('dispatch_failed');
    });

    test('invalid_execution comes before not_ready, and not_ready before a missing conversation', async () => {
      const busy = (await send({}, '[[slow=60000]] busy')).headers.get('x-houmao-turn-id') ?? '';
      expect(refusal(await send({ ...levelZero, ...current }), 422, 'invalid_execution')).toMatch(/off/);
      refusal(await send({ ...levelZero, force: true }), 422, 'invalid_execution', true);
      expect(refusal(await send(current), 409, 'not_ready')).toContain("(active_execution='running')");
      await served.prompt('waits');
      expect(refusal(await send({}), 409, 'not_ready')).toContain(
        "(active_execution='running', queue_depth=1)",
      );
      // Nothing is pinned yet: the running turn has not ended. Force skips the busy test only, and the turn goes on.
      refusal(await send({ ...current, force: true }), 409, 'missing_current_chat_session', true);
      expect((await served.ask('GET', `/v1/turns/${busy}`)).body.state).toBe('running');
    });

    test('a conversation that is not there is missing_current_chat_session', async () => {
      const pinned = async () =>
        (await served.ask('GET', '/v1/control/headless/state')).body.chat_session.current;
      refusal(await send(current), 409, 'missing_current_chat_session');
      await served.final((await served.prompt('pins its conversation')).body.request_id);
      await served.idle();
      expect(await pinned()).not.toBeNull();
      editManifest(served.session.paths, (manifest) => {
        manifest.headless.session_id = null;
      });
      refusal(await send(current), 409, 'missing_current_chat_session');
      expect(await pinned()).toBeNull();
    });

    test('a program that cannot be started is dispatch_failed, with a turn that says so', async () => {
      const program = join(served.session.folder, 'broken-program');
      writeFileSync(program, '#!/no/such/interpreter\n');
      chmodSync(program, 0o755);
      editManifest(served.session.paths, (manifest) => {
        manifest.launch_plan.executable = program;
      });
      const before = readEvents(served.session.paths).length;
      refusal(await send({}), 422, 'dispatch_failed');
      const kinds = readEvents(served.session.paths)
        .slice(before)
        .map(({ kind }) => kind);
      expect(kinds).toContain('control_prompt_failed');
      expect((await served.ask('GET', '/v1/status')).body.active_execution).toBe('idle');
    });
  });
});

describe('a refused prompt', () => {
  const served = serve();

  test('leaves no row, no turn and no event', async () => {
    const before = readFileSync(served.session.paths.state, 'utf8');
    const events = readEvents(served.session.paths);
    await sender(served)(levelZero);
    expect(readEvents(served.session.paths)).toEqual(events);
    expect(existsSync(served.session.paths.turnArtifacts)).toBe(false);
    expect(readFileSync(served.session.paths.state, 'utf8')).toBe(before);
  });
});
