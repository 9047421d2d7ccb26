import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SessionPaths, sessionPaths } from '../../../src/session/session-paths.js';
import { processTree } from '../../../src/terminal/process-tree.js';
import { type Answer, call } from '../../support/http.js';
import { findLeftovers } from '../../support/run/leftovers.js';
import { root, runProgram } from './programs.js';

const standin = join(root, 'dist', 'programs', 'standin-agent.js');
/** A call that takes longer is itself a fault. */
const callMilliseconds = 90_000;

/**
 * Stands in for the shell that is left when an agent ends: it keeps every byte that it is given, also what no Enter follows.
 * tmux starts what runs in a pane by the same program.
 */
const shellScript = (log: string): string =>
  [
    '#!/bin/sh',
    'case "$1" in -c) exec /bin/sh "$@";; esac',
    'stty raw -echo',
    `exec cat >>'${log}'`,
    '',
  ].join('\n');

/** One stand-in agent in a terminal of a tmux server of its own, with its gateway. */
export class TorturedAgent {
  readonly ledgerFile: string;
  readonly shellFile: string;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  #url = '';
  #session = '';
  #paths: SessionPaths = sessionPaths('/');

  /** @param folder its own, with a short path: a socket stands in it. @param switches of `HOUMAO_STANDIN_TUI`. */
  constructor(folder: string, switches: readonly string[]) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.ledgerFile = join(folder, 'ledger');
    this.shellFile = join(folder, 'shell.log');
    const shell = join(folder, 'shell');
    writeFileSync(this.shellFile, '');
    writeFileSync(shell, shellScript(this.shellFile));
    chmodSync(shell, 0o755);
    const { TMUX: _tmux, TMUX_PANE: _pane, ...inherited } = process.env;
    this.#environment = {
      ...inherited,
      HOME: folder,
      TMUX_TMPDIR: folder,
      SHELL: shell,
      HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
      HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
      HOUMAO_STANDIN_LEDGER: this.ledgerFile,
      HOUMAO_STANDIN_TUI: switches.join(','),
    };
  }

  get paths(): SessionPaths {
    return this.#paths;
  }

  /** @throws Error when it did not start. */
  async launch(unattended: boolean): Promise<void> {
    const reported = await this.#manage([
      ...[
        'agents',
        'launch',
        '--tool',
        'claude',
        '--tui',
        '--executable',
        standin,
        '--name',
        'alpha',
        '--json',
      ],
      ...['--workdir', this.#folder, '--home', join(this.#folder, 'home')],
      ...['--env', 'HOUMAO_STANDIN_LEDGER', '--env', 'HOUMAO_STANDIN_TUI'],
      ...(unattended ? ['--unattended'] : []),
    ]);
    const launched = JSON.parse(reported) as {
      gateway_url: string;
      tmux_session_name: string;
      session_root: string;
    };
    this.#url = launched.gateway_url;
    this.#session = launched.tmux_session_name;
    this.#paths = sessionPaths(launched.session_root);
  }

  /** @returns null where the gateway went away before it had answered. */
  async ask(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer | null> {
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      late = setTimeout(
        () => reject(new Error(`${method} ${path} was not answered in ${callMilliseconds} ms`)),
        callMilliseconds,
      );
    });
    try {
      return await Promise.race([call(this.#url, method, path, body, headers).catch(() => null), patience]);
    } finally {
      clearTimeout(late);
    }
  }

  /** Kills the gateway. @returns false where none ran. */
  killGateway(): boolean {
    try {
      const { pid } = JSON.parse(readFileSync(this.#paths.currentInstance, 'utf8')) as { pid: number };
      process.kill(pid, 'SIGKILL');
      return true;
    } catch {
      return false;
    }
  }

  /** Starts a gateway on the same session. @throws Error when it did not start. */
  async attachGateway(): Promise<void> {
    await this.#manage(['agents', 'gateway', 'attach', 'alpha', '--json']);
    const { host, port } = JSON.parse(readFileSync(this.#paths.currentInstance, 'utf8')) as {
      host: string;
      port: number;
    };
    this.#url = `http://${host}:${port}`;
  }

  /** The stand-in's pid; null where none runs. */
  async toolPid(): Promise<number | null> {
    const pane = Number(await this.tmux('display-message', '-p', '-t', this.#pane, '#{pane_pid}'));
    return processTree(pane).find(({ args }) => args.includes(standin))?.pid ?? null;
  }

  /** Presses keys in the agent's pane, as somebody who is attached to it. */
  async press(...keys: string[]): Promise<void> {
    await this.tmux('send-keys', '-t', this.#pane, ...keys);
  }

  async copyMode(): Promise<void> {
    await this.tmux('copy-mode', '-t', this.#pane);
  }

  screen(): Promise<string> {
    return this.tmux('capture-pane', '-p', '-t', this.#pane);
  }

  async killSession(): Promise<void> {
    await this.tmux('kill-session', '-t', `=${this.#session}`);
  }

  async killServer(): Promise<void> {
    const pid = Number(await this.tmux('display-message', '-p', '#{pid}'));
    if (pid > 1) process.kill(pid, 'SIGKILL');
  }

  /** Asks tmux; `''` where there is no such pane, or no server. */
  async tmux(...args: string[]): Promise<string> {
    const options = { env: this.#environment, timeout: 10_000 };
    return promisify(execFile)('tmux', args, options).then(
      ({ stdout }) => stdout,
      () => '',
    );
  }

  async stop(): Promise<void> {
    await this.#manage(['agents', 'stop', 'alpha', '--json']).catch(() => undefined);
    await this.tmux('kill-server');
  }

  /** Ends what is left of it. @returns a line for each process. */
  endLeftovers(): string[] {
    const left = findLeftovers(this.#folder);
    const lines = left.lines.filter((line) => line.startsWith('  process '));
    left.endProcesses();
    return lines;
  }

  get #pane(): string {
    return `=${this.#session}:0.0`;
  }

  async #manage(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram('houmao-mgr', args, this.#environment);
    if (code !== 0) throw new Error(`houmao-mgr ${args.slice(0, 3).join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }
}
