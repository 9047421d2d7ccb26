// Agents that the older implementation launched: found, attached to, prompted, brought back and stopped here.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { identify } from '../../../src/foundation/processes.js';
import { call } from '../../support/http.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import type { OlderRelease } from '../../support/older-files.js';
import { refusedByOlder } from '../../support/older-models.js';
import { type OlderSession, olderSession } from '../../support/older-session.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { takenPrompts } from '../recovery/evidence.js';

const folder = temporaryFolder();
const window = ownTmux();
const { PATH, HOME, ...ours } = managerEnvironment(folder);
const environment: NodeJS.ProcessEnv = { ...ours, ...window.tmux.environment, PATH, HOME };
const agents = (...args: string[]) => manage(environment, ['agents', ...args]);
/** @returns the answer of a command, which must succeed. */
async function reported(...args: string[]) {
  const { code, stdout, stderr } = await agents(...args, '--json');
  expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
  return JSON.parse(stdout);
}
const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const sessions = () => window.run('list-sessions', '-F', '#{session_name}').split('\n');

/** Ends all of an agent that does not outlive a reboot. */
async function reboot({ root, session }: OlderSession): Promise<void> {
  const gateway = Number(readFileSync(join(root, 'gateway/run/gateway.pid'), 'utf8'));
  process.kill(gateway, 'SIGKILL');
  window.run('kill-session', '-t', session);
  await expect.poll(() => identify(gateway)).toBeNull();
}

/** The published files of its gateway that the older implementation takes no longer. */
const refused = (root: string) =>
  (['gateway/attach.json', 'gateway/gateway_manifest.json', 'gateway/state.json'] as const).filter(
    (file) => refusedByOlder(file, jsonOf(join(root, file))).length > 0,
  );

/** The fields that a turn changes in a manifest, for the older implementation as for us. */
const changes = ['created_at_utc', 'backend_state', 'headless', 'interactive', 'local_interactive'];
const lasting = (manifest: object) =>
  Object.fromEntries(Object.entries(manifest).filter(([key]) => !changes.includes(key)));

const each = (['with jobs', 'with memory'] satisfies OlderRelease[]).flatMap((release) =>
  (['claude_headless', 'local_interactive'] as const).map((backend) => [backend, release] as const),
);
// Somebody else's session: tmux stays when those of the agents have ended.
beforeAll(() => void window.run('new-session', '-d', '-s', 'somebody'));
let count = 0;
function made([backend, release]: (typeof each)[number]): OlderSession {
  count += 1;
  return olderSession({ folder, window }, `older-${count}`, backend, release);
}

test.each(each)(
  '%s of a release %s is found, prompted, brought back after a reboot and stopped from the shell',
  async (...kind) => {
    const agent = made(kind);
    const { name, root } = agent;
    const before = lasting(jsonOf(join(root, 'manifest.json')));
    const turns = agent.conversation === null ? 0 : 1;
    expect((await reported('list')).agents).toContainEqual(
      expect.objectContaining({ agent_name: agent.agentName }),
    );

    const { gateway_url: url } = await reported('gateway', 'attach', name);
    const waited = await call(url, 'GET', `/v1/requests/${agent.waiting}?wait_seconds=30`);
    expect(waited.body).toMatchObject({ state: 'completed', turn: { delivery: { state: 'confirmed' } } });
    expect((await reported('prompt', name, 'hello')).answer).toContain(
      `turn ${turns + 2} of this conversation`,
    );

    await reboot(agent);
    expect(await reported('restart', name)).toMatchObject({ tmux_session: 'made', gateway: 'started' });
    expect((await reported('prompt', name, 'again')).answer).toContain(
      `turn ${turns + 3} of this conversation`,
    );
    const conversations = takenPrompts(agent.ledger).map(({ session_id }) => session_id);
    expect(new Set(conversations)).toEqual(new Set([agent.conversation ?? conversations[0]]));
    expect(sessions()).toContain(agent.session);
    expect(refused(root)).toEqual([]);
    expect(lasting(jsonOf(join(root, 'manifest.json')))).toEqual(before);

    expect((await agents('stop', name)).code).toBe(0);
    expect(sessions()).not.toContain(agent.session);
    expect(existsSync(agent.recordPath)).toBe(false);
    expect(refused(root)).toEqual([]);
    const prompts = takenPrompts(agent.ledger).map(({ prompt }) => prompt);
    expect(prompts.filter((prompt) => prompt !== 'before')).toEqual([
      'left by the older one',
      'hello',
      'again',
    ]);
  },
);

describe('a server', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startManagedServer(managedHost(folder, window), folder);
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  test.each(each)(
    'finds %s of a release %s that came after its start, prompts it and stops it',
    async (...kind) => {
      const agent = made(kind);
      const ask = (method: string, rest: string, body?: object) =>
        server.ask(method, `/houmao/agents/${agent.name}${rest}`, body);
      expect((await ask('GET', '/state')).body).toMatchObject({
        identity: { agent_name: agent.agentName },
      });
      expect((await ask('POST', '/gateway/attach')).status).toBe(200);
      const sent = await ask('POST', '/gateway/requests', {
        schema_version: 1,
        kind: 'submit_prompt',
        payload: { prompt: 'through the server' },
      });
      expect([sent.status, sent.body.detail]).toEqual([200, undefined]);
      const ended = await ask('GET', `/gateway/requests/${sent.body.request_id}?wait_seconds=30`);
      expect(ended.body).toMatchObject({ state: 'completed', turn: { delivery: { state: 'confirmed' } } });
      expect((await ask('POST', '/stop')).body).toMatchObject({ success: true });
      expect(sessions()).not.toContain(agent.session);
      expect(existsSync(agent.recordPath)).toBe(false);
      expect(takenPrompts(agent.ledger).map(({ prompt }) => prompt)).toContain('through the server');
    },
  );
});
