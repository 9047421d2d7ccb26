import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestOptions, test } from 'vitest';
import { listAgents } from '../../../src/launch/agent-directory.js';
import { copyOfCheckout } from '../../support/checkout-copy.js';
import { hostIn } from '../../support/launch-host.js';
import { commandsIn, type DocumentedCommand, fillIn } from './newcomer/command-blocks.js';
import { type Newcomer, newcomerIn } from './newcomer/newcomer.js';

const documents = [
  'README.md',
  ...['cli', 'terminals', 'server', 'notifications', 'mail', 'clients', 'operations'].map(
    (name) => `docs/${name}.md`,
  ),
  'sdk/README.md',
];

/** The commands of the documents that this test does not run, and why. */
const notHere: [command: RegExp, reason: string][] = [
  [/^npm test\b/, 'runs this very test'],
  [/^npm (run build|pack)\b/, 'made the programs that the copy has'],
  [/workflows\/|@redocly\/cli/, 'fetches the tool; test/e2e/docs/workflows.test.ts does it'],
  [/openapi-generator-cli/, 'fetches the generator and needs Java; npm run test:clients does it'],
  [
    /\bnpm (ci|install)\b/,
    'takes packages from the registry; test/e2e/sdk/install.test.ts, test/installed/installed.test.ts and .ci/run do it',
  ],
];
/** The commands that go on until Ctrl-C, and their output when they are ready. */
const untilInterrupted: [command: RegExp, ready: RegExp][] = [
  [/^npm start\b/, /Ctrl-C stops/],
  [/ server start\b.* --foreground\b/, /http:\/\//],
];
/** The commands for which README.md says to end `npm start`. */
const withoutDemo = / (server start|up)\b/;

const canIsolate =
  spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0 &&
  spawnSync('curl', ['--version']).status === 0;
const needsOwnNetwork: TestOptions = {
  skip: !canIsolate,
  meta: { needs: 'a network of its own (root, ip) and curl' },
};

/** Follows a document line by line. @returns what went wrong, and the commands that were left out, with the reason. */
async function follow(commands: readonly DocumentedCommand[], newcomer: Newcomer) {
  const wrong: string[] = [];
  const leftOut: string[] = [];
  let reading = '';
  for (const { at, text } of commands) {
    const document = at.replace(/:.*/, '');
    if (document !== reading) await newcomer.run(`cd ${newcomer.checkout}`);
    reading = document;
    const reason = notHere.find(([pattern]) => pattern.test(text))?.[1];
    const ready = untilInterrupted.find(([pattern]) => pattern.test(text))?.[1];
    if (reason !== undefined) {
      leftOut.push(`${at} ${reason}`);
      continue;
    }
    if (withoutDemo.test(text)) await newcomer.interrupt();
    const command = fillIn(text.replaceAll('/path/to/houmao-gateway', newcomer.checkout), newcomer.output());
    if (ready) await newcomer.begin(command, ready);
    else {
      const { code, shown } = await newcomer.run(command);
      if (code !== 0 || refused.test(shown)) wrong.push(`${at}: ${command}\nended with ${code}:\n${shown}`);
    }
  }
  return { wrong, leftOut };
}

/** curl ends with 0 when it was refused, too. */
const refused = /^\{"detail":|^HTTP\/1\.1 [45]/m;

test('a newcomer can follow every command block of the documents, line by line', {
  ...needsOwnNetwork,
  timeout: 600_000,
}, async ({ annotate }) => {
  const copy = copyOfCheckout();
  const newcomer = newcomerIn(copy);
  const commands = documents.flatMap((name) => commandsIn(readFileSync(join(copy, name), 'utf8'), name));
  try {
    const { wrong, leftOut } = await follow(commands, newcomer);
    await annotate(`${commands.length - leftOut.length} commands followed; not here:\n${leftOut.join('\n')}`);
    expect(wrong).toEqual([]);
    expect(leftOut.length).toBeLessThan(commands.length / 4);
  } finally {
    await newcomer.interrupt();
    await newcomer.run(`cd ${newcomer.checkout}`);
    const { agents } = listAgents(hostIn(join(newcomer.home, '.houmao')));
    for (const { record } of agents) await newcomer.run(`houmao-mgr agents stop ${record.agent_name}`);
    await newcomer.run('houmao-mgr server stop');
    await newcomer.leave();
  }
});
