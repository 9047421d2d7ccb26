// A terminal goes from the server to a gateway and back: a caller that asks for its state sees only another reporter.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { attachGateway, detachGateway } from '../../../src/launch/gateway-attachment.js';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
const requested = {
  host: null,
  port: null,
  mode: 'detached_process',
  diagnosticLog: null,
  keeping: {},
  flags: [],
} as const;
let server: ManagedServer;
let paths: SessionPaths;

beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  paths = await launchOn(server.host, folder, 'alpha', { terminal: true, tmux: true });
  await server.server.directory.changed();
});
beforeEach(() => detachGateway(paths, server.host));
afterAll(async () => {
  await detachGateway(paths, server.host);
  await server.close();
  expect(server.faults).toEqual([]);
});

async function state() {
  const { status, body } = await server.ask('GET', '/houmao/agents/alpha/state');
  expect(status).toBe(200);
  return body;
}
const ready = () => expect.poll(async () => (await state()).turn.phase).toBe('ready');
const watched = () => {
  const agent = server.server.directory.list()[0];
  return agent && server.server.terminals.seen(agent)?.watched;
};
const gatewayHealth = async () => (await state()).gateway?.gateway_health ?? null;

/** Asks again and again while something is done. @returns every answer. */
async function askedDuring(work: () => Promise<unknown>) {
  const answers: Awaited<ReturnType<typeof state>>[] = [];
  let over = false;
  const asking = (async () => {
    while (!over) answers.push(await state());
  })();
  await work().finally(() => {
    over = true;
  });
  await asking;
  return answers;
}

/** The terminal was there in each of them, at rest, and nobody took it for another one. */
function expectNoGap(answers: readonly Awaited<ReturnType<typeof state>>[]): void {
  expect(new Set(answers.map(({ availability }) => availability))).toEqual(new Set(['available']));
  expect(new Set(answers.map(({ identity }) => JSON.stringify(identity))).size).toBe(1);
  for (const { turn } of answers) expect(turn.phase).not.toBe('active');
}

test('a gateway that attaches takes the terminal over, one that detaches gives it back', async () => {
  await ready();
  await expect.poll(watched).toBe(true);
  expect(await gatewayHealth()).toBe('not_attached');
  const before = (await server.ask('GET', '/houmao/agents/alpha/state/detail')).body.detail;
  expectNoGap(await askedDuring(() => attachGateway(paths, requested, server.host)));
  expect(await gatewayHealth()).toBe('healthy');
  await expect.poll(watched).toBe(false);
  const { detail } = (await server.ask('GET', '/houmao/agents/alpha/state/detail')).body;
  expect(detail.canonical_terminal_state_route).toBe(before.canonical_terminal_state_route);
  const tracked = await server.ask('GET', detail.canonical_terminal_state_route);
  expect(tracked.body).toMatchObject({
    terminal_id: before.terminal_id,
    tracked_session: {
      tracked_session_id: (await state()).tracked_agent_id,
      terminal_aliases: [before.terminal_id],
    },
  });
  const changes = await server.ask('GET', detail.canonical_terminal_history_route);
  expect(changes.body.entries).toEqual(
    (await server.ask('GET', detail.canonical_terminal_state_route)).body.recent_transitions,
  );
  expectNoGap(await askedDuring(() => detachGateway(paths, server.host)));
  expect(await gatewayHealth()).toBe('not_attached');
  await expect.poll(watched).toBe(true);
});

test('a gateway that is killed leaves a terminal that is reported at once, and shows no gateway', async () => {
  await ready();
  const { instance } = await attachGateway(paths, requested, server.host);
  await expect.poll(watched).toBe(false);
  expectNoGap(
    await askedDuring(async () => {
      process.kill(instance.pid, 'SIGKILL');
      await expect.poll(watched).toBe(true);
    }),
  );
  expect(await state()).toMatchObject({
    availability: 'available',
    gateway: null,
    diagnostics: [{ kind: 'gateway_gone' }],
  });
  const next = await attachGateway(paths, requested, server.host);
  expect(next.started).toBe(true);
  expect(await state()).toMatchObject({ gateway: { gateway_health: 'healthy' }, diagnostics: [] });
});

test('a turn that ran while a gateway watched is the last one, also when the gateway was killed', async () => {
  await ready();
  const { url, instance } = await attachGateway(paths, requested, server.host);
  await expect.poll(gatewayHealth).toBe('healthy');
  const answer = await fetch(`${url}/v1/requests`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ schema_version: 1, kind: 'submit_prompt', payload: { prompt: 'say hello' } }),
  });
  expect(answer.status).toBe(202);
  const { request_id } = (await answer.json()) as { request_id: string };
  const turn = async () =>
    (await (await fetch(`${url}/v1/requests/${request_id}?wait_seconds=10`)).json()) as {
      turn: { state: string; ended_at_utc: string | null } | null;
    };
  await expect.poll(async () => (await turn()).turn?.state).toBe('ended');
  const endedAt = (await turn()).turn?.ended_at_utc;
  process.kill(instance.pid, 'SIGKILL');
  await expect.poll(watched).toBe(true);
  const { last_turn } = await state();
  expect(last_turn).toMatchObject({ result: 'success', turn_id: null, updated_at_utc: endedAt });
});
