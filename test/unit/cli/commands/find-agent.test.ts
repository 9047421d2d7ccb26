import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { findAgent } from '../../../../src/cli/commands/find-agent.js';
import { CommandFailure } from '../../../../src/cli/words/command-failure.js';
import { localTime } from '../../../../src/cli/words/local-time.js';
import { agentIdOf } from '../../../../src/launch/agent-name.js';
import { checkLaunch } from '../../../../src/launch/check-launch.js';
import { createSession } from '../../../../src/launch/create-session.js';
import { hostIn, requestFor } from '../../../support/launch-host.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();
const now = new Date('2026-03-13T12:00:00Z');
const host = { ...hostIn(folder), clock: { ...hostIn(folder).clock, now: () => now } };
const roots: string[] = [];

/** Makes an agent, and has the registry forget it: with the mark of a stop, or as whatever lost it. */
async function made(name: string, stoppedAt: string | null): Promise<string> {
  const { root } = await createSession(checkLaunch(requestFor(name, folder), hostIn(folder)), hostIn(folder));
  rmSync(join(host.registryRoot, 'live_agents', agentIdOf(name)), { recursive: true });
  if (stoppedAt !== null) writeFileSync(join(root, 'stopped-at'), `${stoppedAt}\n`);
  roots.push(root);
  return root;
}

function refusal(name: string): CommandFailure {
  try {
    throw new Error(findAgent(name, host).name);
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
}

beforeAll(() => createSession(checkLaunch(requestFor('alpha', folder), hostIn(folder)), hostIn(folder)));
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

test('an agent that was stopped is reported as that, with its files and how to have it again', async () => {
  const stoppedAt = '2026-03-13T11:58:00.000Z';
  await made('gone', '2026-03-12T09:00:00.000Z');
  const root = await made('gone', stoppedAt);
  for (const name of ['gone', 'HOUMAO-gone', agentIdOf('gone')])
    expect(refusal(name)).toMatchObject({
      exitCode: 5,
      detail: `${name} was stopped at ${localTime(stoppedAt, now)}; its files are in ${root}.`,
      remedies: [
        [expect.any(String), 'houmao-mgr agents launch --tool claude --headless --name gone'],
        [expect.any(String), 'houmao-mgr agents prune'],
      ],
    });
});

test('one that was not stopped, or whose files are broken, is nobody', async () => {
  await made('lost', null);
  writeFileSync(join(await made('broken', '2026-03-13T11:58:00.000Z'), 'manifest.json'), '{');
  for (const name of ['lost', 'broken', 'nobody'])
    expect(refusal(name)).toMatchObject({ exitCode: 5, hint: 'Agents: alpha', remedies: [] });
});
