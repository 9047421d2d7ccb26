// A host without a fleet loads nothing of it.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Starts a server, asks it, stops it. @returns the names of the scripts that it loaded, as Node itself counts them. */
async function loadedBy(flags: readonly string[]): Promise<string[]> {
  const folder = temporaryFolder();
  const coverage = join(folder, 'coverage');
  const environment = { NODE_V8_COVERAGE: coverage };
  const server = await startManagedServer(managedHost(folder), folder, { flags, environment });
  for (const path of ['/health', '/houmao/fleet', '/houmao/agents', '/houmao/agents/alpha@ws2'])
    await server.ask('GET', path);
  await server.stop();
  return readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => basename(url));
  });
}

test('a server without --fleet runs no line of it, and one with it does', async () => {
  const alone = await loadedBy([]);
  expect(alone).toContain('houmao-server.cjs');
  expect(alone.filter((name) => name.includes('fleet'))).toEqual([]);
  // Port 1 is nobody's: such a host goes on alone.
  const member = await loadedBy(['--fleet', 'nats://127.0.0.1:1', '--host-name', 'ws1']);
  expect(member).toContain('houmao-fleet.cjs');
});
