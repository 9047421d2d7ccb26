// The facts of a server about all its agents: its figures for monitoring, and their usage.
import { renameSync, writeFileSync } from 'node:fs';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { readExposition } from '../../support/exposition.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let server: ManagedServer;
let alone: SessionPaths;
beforeEach(async () => {
  const folder = temporaryFolder();
  server = await openManagedServer(folder);
  await launchOn(server.host, folder, 'guided');
  alone = await launchOn(server.host, folder, 'alone');
  await server.server.directory.changed();
  const body = { execution_mode: 'detached_process' };
  expect((await server.ask('POST', '/houmao/agents/guided/gateway/attach', body)).status).toBe(200);
});
afterEach(async () => {
  for (const name of ['guided', 'alone']) await server.ask('POST', `/houmao/agents/${name}/stop`);
  await server.close();
  expect(server.faults).toEqual([]);
});

const client = () => createHoumaoClient({ baseUrl: server.url, timeoutMs: 30_000 });
const figures = async () => readExposition(await (await fetch(`${server.url}/metrics`)).text());

test('agents by state, and the queue of each that has a gateway, are among the figures', async () => {
  const agents = async (state: string) => (await figures()).value('houmao_server_agents', { state });
  await expect.poll(() => agents('ready')).toBe(2);
  expect(await agents('needs_person')).toBe(0);
  const { gateway } = client().agent('guided');
  await gateway.submit('[[slow=60000]] long');
  const waiting = await gateway.submit('waits');
  await expect.poll(() => agents('working')).toBe(1);
  await expect
    .poll(async () => (await figures()).value('houmao_server_agent_queue_length', { agent: 'guided' }))
    .toBe(1);
  const { value, figures: all } = await figures();
  expect(value('houmao_server_agent_queue_length', { agent: 'alone' })).toBeUndefined();
  expect(value('houmao_build_info', { program: 'houmao-server' })).toBe(1);
  expect(value('houmao_server_http_requests_total', { operation: 'attachGateway', status: '2xx' })).toBe(1);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  expect(JSON.stringify(all.map(({ labels }) => labels))).not.toMatch(/gwreq-|turn-|_headless-/);
  expect((await server.ask('GET', '/metrics?all=1')).status).toBe(422);
  await waiting.cancel();
});

test('what each agent used is there, with a gateway and without one, live or not', async () => {
  await client().agent('guided').prompt('hello');
  await client().agent('alone').prompt('hello');
  const used = async (name: string) =>
    (await client().usage()).agents.find(({ agent_name }) => agent_name === `HOUMAO-${name}`);
  for (const name of ['guided', 'alone'])
    expect(await used(name)).toMatchObject({
      tool: 'claude',
      detail: null,
      days: [{ turns: { completed: 1 }, turns_without_usage: 0, input_tokens: expect.any(Number) }],
    });
  const { days } = await client().agent('guided').gateway.usage();
  expect((await used('guided'))?.days).toEqual(days);
  await server.ask('POST', '/houmao/agents/guided/gateway/detach');
  expect((await used('guided'))?.days).toEqual(days);
  expect((await server.ask('GET', '/houmao/usage?from=2026-03-13&to=2026-03-12')).status).toBe(422);
});

test('records that cannot be read are not taken for none', async () => {
  await client().agent('alone').prompt('hello');
  const held = server.server.sessions.of(
    server.server.directory.list().find(({ agentName }) => agentName === 'HOUMAO-alone')!,
  );
  await held?.giveWay();
  renameSync(alone.queue, `${alone.queue}.away`);
  writeFileSync(alone.queue, 'no database'.repeat(1000));
  const { agents } = await client().usage();
  expect(agents.find(({ agent_name }) => agent_name === 'HOUMAO-alone')).toMatchObject({
    days: null,
    detail: expect.stringContaining('SQLITE_NOTADB'),
  });
  renameSync(`${alone.queue}.away`, alone.queue);
});
