import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { agentHost } from '../../dist/src/launch/agent-host.js';
import { createSession } from '../../dist/src/launch/create-session.js';
import { cpuOf, drive, residentMegabytes, sleep, startServer } from './processes.mjs';
import { median, milliseconds, table } from './report.mjs';

const inDirectory = 1000;
const inTerminals = 100;
const idleMilliseconds = 20_000;
const limits = { listMilliseconds: 50, listProcessor: 10, idlePercent: 5, megabytes: 150 };
const idleScreen = fileURLToPath(
  new URL('../../test/fixtures/screens/claude/2.1.330/10-ready-idle.ansi', import.meta.url),
);

/** A server over many agents: what it costs to list them, to be asked of them, and to watch their terminals. */
export async function manyAgents(options) {
  await directory(options);
  await terminals(options);
}

async function directory({ say, seconds }) {
  const host = makeHost();
  say(`${inDirectory} agents in the directory`);
  for (let number = 0; number < inDirectory; number += 1) await launch(host, `agent-${number}`, false);
  const server = await startServer(host);
  try {
    const read = (path) => ({ connections: 1, seconds, method: 'GET', path });
    const rows = [];
    for (const [name, path, limit] of [
      ['list of all', '/houmao/agents', `${limits.listMilliseconds} ms, ${limits.listProcessor} ms`],
      ['one of them', '/houmao/agents/agent-500', ''],
      ['its state', '/houmao/agents/agent-500/state', ''],
    ]) {
      say(name);
      await drive(server, read(path));
      const seen = await drive(server, read(path));
      if (Object.keys(seen.statuses).join() !== '200') throw new Error(JSON.stringify(seen.statuses));
      const row = [name, milliseconds(seen.p50), milliseconds(seen.p99), milliseconds(seen.cpuMilliseconds)];
      rows.push([...row, limit]);
    }
    console.log(table([`${inDirectory} agents`, 'p50', 'p99', 'processor', 'limit'], rows));
    console.log(`Server: ${residentMegabytes(server.pid).toFixed(0)} MB resident.\n`);
  } finally {
    await server.stop();
    host.remove();
  }
}

async function terminals({ say }) {
  const host = makeHost();
  say(`${inTerminals} agents in terminals`);
  let server = null;
  try {
    for (let number = 0; number < inTerminals; number += 1) await launch(host, `term-${number}`, true);
    server = await startServer(host);
    const refs = Array.from({ length: inTerminals }, (_, number) => `term-${number}`);
    const poll = () => Promise.all(refs.map((ref) => stateOf(server, ref)));
    let states = await poll();
    while (states.some(({ turn }) => turn.phase !== 'ready')) {
      await sleep(500);
      states = await poll();
    }
    // Everything that time alone changes has changed by then: V8 tidies its heap, terminals are looked at less often.
    await sleep(45_000);
    say(`beside ${inTerminals} idle terminals for ${idleMilliseconds / 1000} s`);
    const tmux = Number(host.tmux('display-message', '-p', '#{pid}'));
    const before = [cpuOf(server.pid), cpuOf(tmux)];
    await sleep(idleMilliseconds);
    const share = (pid, since) => `${(((cpuOf(pid) - since) / idleMilliseconds) * 100).toFixed(2)} %`;
    const idle = [share(server.pid, before[0]), share(tmux, before[1])];
    const memory = residentMegabytes(server.pid);
    say('all of them asked at once');
    const polls = [];
    for (let round = 0; round < 20; round += 1) {
      const began = performance.now();
      await poll();
      polls.push(performance.now() - began);
    }
    console.log(
      table(
        [`${inTerminals} idle terminals`, '', 'limit'],
        [
          ['CPU, server', idle[0], `${limits.idlePercent} %`],
          ['CPU, tmux server', idle[1], ''],
          ['resident memory', `${memory.toFixed(0)} MB`, `${limits.megabytes} MB`],
          ['the state of all of them, asked at once, p50', milliseconds(median(polls)), ''],
          ['memory after that', `${residentMegabytes(server.pid).toFixed(0)} MB`, ''],
        ],
      ),
    );
  } finally {
    await server?.stop();
    host.tmux('kill-server');
    host.remove();
  }
}

const stateOf = async ({ url }, ref) => (await fetch(`${url}/houmao/agents/${ref}/state`)).json();

/** Everything below a folder, with a tmux server of its own. */
function makeHost() {
  const folder = mkdtempSync(join(tmpdir(), 'hbench-'));
  const environment = {
    ...process.env,
    HOME: folder,
    SHELL: '/bin/sh',
    TMUX_TMPDIR: folder,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
  };
  delete environment.TMUX;
  copyFileSync(idleScreen, join(folder, 'screen'));
  // It shows the tool's screen and does nothing: only looking at it costs.
  const executable = join(folder, 'claude');
  writeFileSync(
    executable,
    `#!/bin/sh\ncase "$1" in --version) echo '2.1.330 (Claude Code)'; exit;; esac\ncat '${join(folder, 'screen')}'\nwhile read -r line; do :; done\n`,
  );
  chmodSync(executable, 0o755);
  mkdirSync(join(folder, 'home'));
  return {
    folder,
    environment,
    executable,
    tmux: (...args) => execFileSync('tmux', args, { env: environment, encoding: 'utf8' }).trim(),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const launch = ({ folder, environment, executable }, name, terminal) =>
  createSession(
    {
      tool: 'claude',
      name,
      role: null,
      roleName: 'default',
      model: null,
      reasoningLevel: null,
      workingDirectory: folder,
      homePath: join(folder, 'home'),
      executable,
      environment: { PATH: process.env.PATH ?? '', HOME: folder },
      toolArguments: [],
      unattended: false,
      hooks: false,
      mailbox: null,
      tmux: terminal,
      terminal,
      turnTimeLimitSeconds: null,
      startup: { kind: 'none' },
    },
    agentHost(environment, systemClock),
  );
