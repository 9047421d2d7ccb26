import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { processTree } from '../../../src/terminal/process-tree.js';
import { call } from '../../support/http.js';
import { manage, managerEnvironment, type Ran } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';
import { linesOf } from '../recovery/evidence.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

export interface TerminalAgent {
  url: string;
  /** Of tmux. */
  session: string;
  root: string;
}

/** Launches stand-in agents in terminals, one at a time, each with a home of its own. What is left is removed after the tests. */
export function useTerminalAgents() {
  const tmux = usePrivateTmux();
  const folder = mkdtempSync(join(tmpdir(), 'houmao-terminal-'));
  const ledgerPath = join(folder, 'ledger');
  let agent: TerminalAgent = { url: '', session: '', root: '' };
  let homes = 0;
  const environmentOf = (switches: string): NodeJS.ProcessEnv => ({
    ...managerEnvironment(folder),
    HOUMAO_STANDIN_LEDGER: ledgerPath,
    HOUMAO_STANDIN_TUI: switches,
  });
  const run = (...args: string[]): Promise<Ran> => manage(environmentOf(''), args);

  const launchWith = (switches: string, ...flags: string[]): Promise<Ran> => {
    homes += 1;
    rmSync(ledgerPath, { force: true });
    return manage(environmentOf(switches), [
      ...['agents', 'launch', '--tool', 'claude', '--tui', '--executable', standinProgram],
      ...['--workdir', folder, '--home', join(folder, `home-${homes}`), '--name', 'alpha', '--json'],
      ...['--env', 'HOUMAO_STANDIN_LEDGER', '--env', 'HOUMAO_STANDIN_TUI', ...flags],
    ]);
  };

  /** @param switches of `HOUMAO_STANDIN_TUI`. */
  async function launch(switches = '', ...flags: string[]): Promise<TerminalAgent> {
    const { code, stdout, stderr } = await launchWith(switches, ...flags);
    expect([code, stderr]).toEqual([0, '']);
    const reported = JSON.parse(stdout);
    agent = { url: reported.gateway_url, session: reported.tmux_session_name, root: reported.session_root };
    return agent;
  }

  afterEach(async () => {
    await run('agents', 'stop', 'alpha');
  });
  afterAll(() => {
    tmux.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const panePid = () =>
    Number(tmux.run('display-message', '-p', '-t', `=${agent.session}:0.0`, '#{pane_pid}'));
  const toolPid = () => processTree(panePid()).find(({ args }) => args.includes(standinProgram))?.pid ?? 0;
  return {
    tmux,
    folder,
    run,
    launch,
    launchWith,
    panePid,
    environment: environmentOf(''),
    get agent() {
      return agent;
    },
    ask: (method: string, path: string, body?: object) => call(agent.url, method, path, body),
    direct: (prompt: string, more: object = {}) =>
      call(agent.url, 'POST', '/v1/control/prompt', { prompt, ...more }),
    /** @returns the id of the request. */
    queued: async (prompt: string): Promise<string> =>
      (await call(agent.url, 'POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt } })).body
        .request_id,
    /** An interrupt, once it has ended. */
    interrupted: async () => {
      const accepted = await call(agent.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} });
      return (await call(agent.url, 'GET', `/v1/requests/${accepted.body.request_id}?wait_seconds=20`)).body;
    },
    /** A request, once it has ended. */
    request: async (id: string) => (await call(agent.url, 'GET', `/v1/requests/${id}?wait_seconds=30`)).body,
    /** A turn, once it has ended. */
    turn: async (id: string) => (await call(agent.url, 'GET', `/v1/turns/${id}?wait_seconds=30`)).body,
    keys: (sequence: string) => call(agent.url, 'POST', '/v1/control/send-keys', { sequence }),
    /** The composer of the stand-in, as it is drawn; null while a dialog is in its place. */
    composer: () => composerOf(tmux.run('capture-pane', '-p', '-t', `=${agent.session}:0.0`)),
    /** Another gateway for the same session, on the same port or not. */
    attach: async () => {
      const { code, stdout, stderr } = await run('agents', 'gateway', 'attach', 'alpha', '--json');
      expect([code, stderr]).toEqual([0, '']);
      agent = { ...agent, url: JSON.parse(stdout).gateway_url };
    },
    gatewayPid: () => Number(readFileSync(join(agent.root, 'gateway/run/gateway.pid'), 'utf8')),
    state: async () => (await call(agent.url, 'GET', '/v1/control/tui/state')).body,
    status: async () => (await call(agent.url, 'GET', '/v1/status')).body,
    /** Waits until the status says that a prompt may go in. */
    ready: () =>
      expect
        .poll(async () => (await call(agent.url, 'GET', '/v1/status')).body.terminal_surface_eligibility)
        .toBe('ready'),
    screen: () => tmux.run('capture-pane', '-p', '-t', `=${agent.session}:0.0`),
    /** Clears the screen as if the tool did, which draws it again afterwards. */
    clear: () =>
      writeFileSync(
        tmux.run('display-message', '-p', '-t', `=${agent.session}:0.0`, '#{pane_tty}').trim(),
        '\u001b[2J',
      ),
    /** The agent stands still from now on, until the returned function is called. */
    standStill: (): (() => void) => {
      const pid = toolPid();
      process.kill(pid, 'SIGSTOP');
      return () => void process.kill(pid, 'SIGCONT');
    },
    /** From now on everything that is drawn is kept, also what is gone at once. @returns what tells what it was so far. */
    drawing: (): (() => string) => {
      const file = join(folder, `drawn-${homes}`);
      writeFileSync(file, '');
      tmux.run('pipe-pane', '-t', `=${agent.session}:0.0`, `cat >> '${file}'`);
      return () => readFileSync(file, 'utf8');
    },
    toolPid,
    home: () => join(folder, `home-${homes}`),
    events: () => linesOf(join(agent.root, 'gateway/events.jsonl')).map((line) => JSON.parse(line)),
    /** The prompts that the agent took, in their order. */
    taken: () =>
      linesOf(ledgerPath)
        .map((line) => JSON.parse(line))
        .filter((row) => row.prompt !== undefined && row.done === undefined),
    ledger: () => linesOf(ledgerPath).map((line) => JSON.parse(line)),
  };
}

function composerOf(screen: string): string | null {
  const rows = screen.split('\n').map((row) => row.trimEnd());
  const last = rows.findLastIndex((row) => /^─+$/.test(row));
  const first = rows.slice(0, Math.max(0, last)).findLastIndex((row) => /^─+$/.test(row));
  return first === -1 ? null : rows.slice(first + 1, last).join('\n');
}
