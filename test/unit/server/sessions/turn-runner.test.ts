import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { runsAlone, serverManagedPaths, serverOrigins } from '../../../../src/server/sessions/turn-runner.js';
import type { SessionPaths } from '../../../../src/session/session-paths.js';
import { launchOn } from '../../../support/managed-agents.js';
import { managedHost } from '../../../support/managed-server.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const own = serverOrigins('http://127.0.0.1:9889', ['lab', 'lab.example']);

/** A headless session whose manifest names a server. */
async function sessionOf(api_base_url: string, agent_def_dir: string | null = null): Promise<SessionPaths> {
  const folder = temporaryFolder();
  const paths = await launchOn(managedHost(folder), folder, 'alpha');
  const manifest = JSON.parse(readFileSync(paths.manifest, 'utf8'));
  const authority = { api_base_url, managed_agent_ref: 'alpha' };
  manifest.gateway_authority = { attach: authority, control: authority };
  manifest.runtime.agent_def_dir = agent_def_dir;
  writeFileSync(paths.manifest, JSON.stringify(manifest));
  return paths;
}

test.each([
  ['http://127.0.0.1:9889', true],
  ['http://localhost:9889/', true],
  ['http://[::1]:9889', true],
  ['http://LAB:9889', true],
  ['http://lab.example:9889/anything', true],
  ['http://127.0.0.1:9890', false],
  ['http://lab:9890', false],
  ['https://lab:9889', false],
  ['http://other:9889', false],
  ['no address', false],
])('an agent of %s is run by this server alone: %s', async (url, alone) => {
  expect(runsAlone(await sessionOf(url), own, null)).toBe(alone);
});

test('one with an agent definition is run by its gateway, too', async () => {
  expect(runsAlone(await sessionOf('http://127.0.0.1:9889', '/somewhere'), own, null)).toBe(false);
});

test('a manifest that cannot be read changes nothing: what was known counts, else what is on record', async () => {
  for (const spoil of [rmSync, (path: string) => writeFileSync(path, '{')]) {
    const paths = await sessionOf('http://127.0.0.1:9889');
    spoil(paths.manifest);
    expect(runsAlone(paths, own, true)).toBe(true);
    expect(runsAlone(paths, own, false)).toBe(false);
    expect(runsAlone(paths, own, null)).toBe(false);
    const { queue } = serverManagedPaths(paths);
    mkdirSync(dirname(queue), { recursive: true, mode: 0o700 });
    writeFileSync(queue, '');
    expect(runsAlone(paths, own, null)).toBe(true);
  }
});
