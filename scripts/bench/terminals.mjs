import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeSession } from '../../test/torture/session.mjs';
import { cpuOf, drive, sleep, startGateway } from './processes.mjs';
import { median, milliseconds, table } from './report.mjs';

const built = (name) => fileURLToPath(new URL(`../../dist/programs/${name}.js`, import.meta.url));
const prompts = 20;
const idleMilliseconds = 20_000;
/** From a terminal that is ready to the answer that the agent has the prompt, and of a core beside an idle agent. */
const limits = { deliveredMilliseconds: 300, idlePercent: 1 };

/** A gateway beside the stand-in in a terminal: how long a delivery takes, and what watching costs. */
export async function terminals({ say, seconds, warmSeconds }) {
  const statusRead = async (server) => {
    const read = { connections: 1, method: 'GET', path: '/v1/status' };
    await drive(server, { ...read, seconds: warmSeconds });
    return (await drive(server, { ...read, seconds })).cpuMilliseconds;
  };
  say('reads of the status of a headless agent');
  const session = await makeSession('bench');
  const headless = await startGateway(session);
  const statusOfHeadless = await statusRead(headless);
  await headless.stop();
  session.remove();
  const agent = await launchTerminal();
  try {
    say(`${prompts} prompts into a terminal`);
    const delivered = [];
    for (let number = 0; number < prompts; number += 1) {
      await untilReady(agent.url);
      const begun = performance.now();
      const answer = await post(agent.url, { prompt: `prompt ${number}` });
      if (answer.status !== 200) throw new Error(`prompt ${number}: ${await answer.text()}`);
      delivered.push(performance.now() - begun);
    }
    await untilReady(agent.url);
    say(`beside an idle terminal for ${idleMilliseconds / 1000} s`);
    await sleep(15_000);
    const before = { gateway: cpuOf(agent.gatewayPid), tmux: cpuOf(agent.tmuxPid) };
    await sleep(idleMilliseconds);
    const share = (pid, since) => `${(((cpuOf(pid) - since) / idleMilliseconds) * 100).toFixed(2)} %`;
    const idle = [share(agent.gatewayPid, before.gateway), share(agent.tmuxPid, before.tmux)];
    say('reads of its status');
    const tracked = await statusRead({ port: new URL(agent.url).port, pid: agent.gatewayPid });
    console.log(
      table(
        ['a terminal', '', 'limit'],
        [
          ['ready → delivered, p50', milliseconds(median(delivered)), `${limits.deliveredMilliseconds} ms`],
          ['the slowest of them', milliseconds(Math.max(...delivered)), ''],
          ['CPU beside an idle agent, gateway', idle[0], `${limits.idlePercent} %`],
          ['the same, tmux server', idle[1], ''],
          ['status read', `${tracked.toFixed(3)} ms`, ''],
          ['status read of a headless agent', `${statusOfHeadless.toFixed(3)} ms`, ''],
        ],
      ),
    );
  } finally {
    await agent.remove();
  }
}

const post = (url, body) =>
  fetch(`${url}/v1/control/prompt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function untilReady(url) {
  for (;;) {
    const status = await (await fetch(`${url}/v1/status`)).json();
    if (status.terminal_surface_eligibility === 'ready' && status.active_execution === 'idle') return;
    await sleep(50);
  }
}

/** On a tmux server of its own. */
async function launchTerminal() {
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
  const manage = (...args) =>
    promisify(execFile)(process.execPath, [built('houmao-mgr'), ...args], { env: environment });
  const { stdout } = await manage(
    ...['agents', 'launch', '--tool', 'claude', '--tui', '--executable', built('standin-agent')],
    ...['--workdir', folder, '--home', join(folder, 'home'), '--name', 'bench', '--json'],
  );
  const { gateway_url: url, session_root: root } = JSON.parse(stdout);
  const tmux = (...args) => execFileSync('tmux', args, { env: environment, encoding: 'utf8' }).trim();
  return {
    url,
    gatewayPid: Number(readFileSync(join(root, 'gateway/run/gateway.pid'), 'utf8')),
    tmuxPid: Number(tmux('display-message', '-p', '#{pid}')),
    async remove() {
      await manage('agents', 'stop', 'bench');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
