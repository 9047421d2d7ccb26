// The official conformance suites of MCP against /mcp: of the revisions with sessions, and of the stateless one.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { nodeEnvironment } from '../../scripts/tools/node-environment.mjs';
import { serverStage } from '../e2e/cli/server-stage.js';

const stage = serverStage();
let tools: string;
beforeAll(() => {
  tools = nodeEnvironment('conformance', {
    dependencies: {
      // The suites need a function of Node 22.
      node: `npm:node-${process.platform}-${process.arch}@24.21.0`,
      older: 'npm:@modelcontextprotocol/conformance@0.1.16',
      newer: 'npm:@modelcontextprotocol/conformance@0.2.0-alpha.12',
    },
  });
});

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** Runs scenarios of a suite; it exits with 1 where a check fails, which the checks themselves say. */
async function checksOf(suite: 'older' | 'newer', ...args: string[]): Promise<Check[]> {
  const out = mkdtempSync(join(stage.folder, 'conformance-'));
  const program = join(tools, suite, 'dist', 'index.js');
  await new Promise<void>((resolve) => {
    const call = ['server', '--url', `${stage.url}/mcp`, '--output-dir', out, ...args];
    execFile(join(tools, 'node', 'bin', 'node'), [program, ...call], () => resolve());
  });
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('checks.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(out, name), 'utf8')) as Check[]);
}

/** The suites bring a server of their own in mind: its tools, resources and prompts are not those of a server with another purpose. */
const ofTheSuitesOwnServer =
  /^Not testable: |Tool '?\w+'? not found|-32601|Method not found|fixture|failing_job|InputRequiredResult/;

const failed = (checks: readonly Check[]): string[] =>
  checks
    .filter(
      ({ status, errorMessage = '' }) => status === 'FAILURE' && !ofTheSuitesOwnServer.test(errorMessage),
    )
    .map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
const passed = (checks: readonly Check[]): string[] =>
  checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);

test.each([
  ['server-initialize', 1],
  ['ping', 1],
  ['tools-list', 1],
  ['dns-rebinding-protection', 2],
])('a client of the revision of 2025-11-25: %s', async (scenario, count) => {
  const checks = await checksOf('older', '--scenario', scenario);
  expect(failed(checks)).toEqual([]);
  expect(passed(checks)).toHaveLength(count);
});

test('a client of the stateless revision: everything that needs no tool of the suite', async () => {
  const checks = await checksOf('newer', '--requirements', '2026-07-28');
  expect(failed(checks)).toEqual([]);
  expect(passed(checks)).toEqual(
    expect.arrayContaining([
      ...['sep-2575-server-implements-discover', 'sep-2575-discover-capabilities-match-handlers'],
      ...['sep-2575-http-server-unsupported-version-400', 'sep-2575-http-server-header-mismatch-400'],
      ...['sep-2575-server-sends-subscription-ack', 'sep-2575-http-server-error-jsonrpc-id'],
      ...['sep-2243-server-reject-invalid-headers', 'sep-2549-tools-list-caching-hints'],
      ...['localhost-host-rebinding-rejected', 'sep-2663-tasks-methods-non-declaring', 'wire-schema-valid'],
    ]),
  );
});
