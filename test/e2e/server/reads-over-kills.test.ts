import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ManagedServer, managedHost, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { launchStandin, type StandinAgent } from '../../support/standin-agent.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { takenPrompts } from '../recovery/evidence.js';

// Gateways come and are killed while everything of their agents is read: whatever moment a read meets, it is answered.

const rounds = 3;
const readers = 2;
const tmux = ownTmux();

describe.each(['headless', 'tui'] as const)('a %s agent', (transport) => {
  let server: ManagedServer;
  let agent: StandinAgent;
  let turnId: string | null;
  beforeEach(async () => {
    const folder = temporaryFolder(tmux);
    server = await openManagedServer(folder, tmux);
    agent = await launchStandin(managedHost(folder, tmux), folder, `read-${transport}`, transport);
    await server.server.directory.changed();
    turnId = null;
  });
  afterEach(async () => {
    await ask('POST', '/stop');
    await server.close();
    expect(server.faults).toEqual([]);
  });
  const ask = (method: string, rest: string, body?: unknown) =>
    server.ask(method, `/houmao/agents/${agent.name}${rest}`, body);

  /** Every kind of answer that came meanwhile. */
  async function readDuring(work: () => Promise<unknown>): Promise<Set<string>> {
    const answers = new Set<string>();
    let over = false;
    const reading = Array.from({ length: readers }, async () => {
      while (!over)
        for (const rest of ['', '/state', '/state/detail', '/history', '/gateway', '/turns/record']) {
          const path = rest === '/turns/record' ? `/turns/${turnId}/record` : rest;
          answers.add(`${(await ask('GET', path)).status} ${rest}`);
        }
    });
    await work().finally(() => {
      over = true;
    });
    await Promise.all(reading);
    return answers;
  }

  async function attachPromptAndKill(round: number): Promise<void> {
    const attached = await ask('POST', '/gateway/attach', {});
    expect([attached.status, attached.body.gateway_health]).toEqual([200, 'healthy']);
    const prompt = `[[slow=300]] round ${round}`;
    const begun = await ask('POST', '/requests', { request_kind: 'submit_prompt', prompt });
    expect([begun.status, begun.body.disposition]).toEqual([200, 'accepted']);
    turnId = begun.headers.get('x-houmao-turn-id');
    await expect.poll(() => takenPrompts(agent.ledger)).toHaveLength(round + 1);
    process.kill(JSON.parse(readFileSync(agent.paths.currentInstance, 'utf8')).pid, 'SIGKILL');
    const record = await ask('GET', `/turns/${turnId}/record?wait_seconds=30`);
    expect(record.body).toMatchObject({ state: 'ended', outcome: 'completed' });
  }

  test('is read while gateways take it over and are killed', async () => {
    const answers = await readDuring(async () => {
      for (let round = 0; round < rounds; round += 1) await attachPromptAndKill(round);
    });
    for (const rest of ['', '/state', '/state/detail', '/history', '/gateway', '/turns/record'])
      answers.delete(`200 ${rest}`);
    // A gateway dies over its own status, and there was no turn at first, or its prompt waited.
    expect([...answers].filter((one) => !['503 /gateway', '404 /turns/record'].includes(one))).toEqual([]);
  }, 120_000);
});
