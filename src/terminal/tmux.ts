import { type ExecFileException, execFile } from 'node:child_process';
import type { TmuxPaneLocation } from '../session/manifest-facts.js';
import { usualSocket, whileApart } from './attach-apart.js';
import { type ListedPane, listingFormat, readListedPane } from './pane-listing.js';
import { leftShell } from './start-script.js';
import type { ControlListener } from './terminal-source.js';
import { TmuxControl } from './tmux-control.js';
import { startTrouble, TmuxFault, tooOld } from './tmux-fault.js';

/** The place of a window; its ids stay, its index may change. */
export interface WindowHandle extends TmuxPaneLocation {
  windowId: string;
  windowIndex: string;
}

const madeFormat =
  '#{window_id} #{window_index} #{session_id} #{pane_id} #{pid} #{start_time} #{socket_path}';

const commandMilliseconds = 5000;
/**
 * The messages of tmux about a server that ended during a command, as it does with its last session; the command had no effect
 * then.
 */
const serverEnded = /^(no server running|server exited unexpectedly|lost server|no current target)/;
/** The number of attempts to make a new session while servers end. */
const mostStarts = 10;
/** Recognizes that the requested server, session or window does not exist. */
const isAbsence = (said: string): boolean =>
  serverEnded.test(said) ||
  /^can't find (session|window|pane)/.test(said) ||
  /^error connecting to .* \((No such file or directory|Connection refused)\)/.test(said);

type Answer = { ok: true; stdout: string } | { ok: false; absent: boolean; reason: string };

/** One tmux server, reached with one environment. It keeps no connection: each call runs the `tmux` program once. */
export class Tmux {
  readonly #socketPath: string | null;
  readonly #environment: NodeJS.ProcessEnv;

  /**
   * @param options.environment for every tmux program, and for the server if one has to be started. `PATH` finds tmux; without
   * `socketPath`, `TMUX` and `TMUX_TMPDIR` select the server.
   * @param options.socketPath the socket of a separate server, at most 107 bytes long.
   */
  constructor(options: { environment: NodeJS.ProcessEnv; socketPath?: string }) {
    this.#environment = options.environment;
    this.#socketPath = options.socketPath ?? null;
  }

  /** The environment with which a program started from here reaches the same server. */
  get environment(): NodeJS.ProcessEnv {
    // tmux reads TMUX as "socket,pid,session" and needs only the first of them.
    return this.#socketPath === null
      ? this.#environment
      : { ...this.#environment, TMUX: `${this.#socketPath},,` };
  }

  /** Null for the server that the environment selects. */
  get socketPath(): string | null {
    return this.#socketPath;
  }

  /** Returns the server that listens there, reached with the same environment. */
  at(socketPath: string): Tmux {
    return new Tmux({ environment: this.#environment, socketPath });
  }

  /** Returns the command with which a person attaches to a session of this server, from any shell. */
  attachCommand(session: string): string {
    const isUsual = this.#socketPath === null || this.#socketPath === usualSocket({});
    return `tmux${isUsual ? '' : ` -S ${this.#socketPath}`} attach -t ${session}`;
  }

  /** Opens a connection to a session of this server. @throws {TmuxFault} */
  control(session: string, listener: ControlListener): Promise<TmuxControl> {
    return TmuxControl.open({
      environment: this.#environment,
      socketPath: this.#socketPath,
      session,
      ...listener,
    });
  }

  /**
   * Opens a connection without the output of programs, to any existing session.
   * @param session the preferred session.
   * @param closed called once, when it cannot take commands any more.
   * @throws {TmuxFault}
   */
  async deafControl(session: string, closed: () => void): Promise<TmuxControl> {
    const open = (to: string | null): Promise<TmuxControl> =>
      TmuxControl.open({
        environment: this.#environment,
        socketPath: this.#socketPath,
        session: to,
        deaf: true,
        wrote: () => undefined,
        closed,
      });
    try {
      return await open(session);
    } catch (error) {
      if (error instanceof TmuxFault && /can't find session/.test(error.message)) return open(null);
      throw error;
    }
  }

  /** @throws {TmuxFault} if this tmux is not installed, or too old for agents in terminals. */
  async requireTerminals(): Promise<void> {
    const fault = tooOld(await this.#run(['-V']));
    if (fault !== null) throw new TmuxFault(fault);
  }

  /** @throws {TmuxFault} if that cannot be determined: tmux is not installed, or does not answer. */
  async hasSession(session: string): Promise<boolean> {
    return (await this.#ask(['has-session', '-t', `=${session}`])) !== null;
  }

  /** Returns the names of all sessions. @throws {TmuxFault} if they cannot be determined. */
  async sessionNames(): Promise<ReadonlySet<string>> {
    const found = await this.#ask(['list-sessions', '-F', '#{session_name}']);
    return new Set((found ?? '').split('\n').filter((name) => name !== ''));
  }

  /** Lists all panes of this server; none if it does not run. @throws {TmuxFault} if they cannot be determined. */
  async panes(): Promise<readonly ListedPane[]> {
    const said = await this.#ask(['list-panes', '-a', '-F', listingFormat]);
    return (said ?? '').split('\n').flatMap((line) => readListedPane(line) ?? []);
  }

  /**
   * Makes a detached session with one window, index 0, named `agent`.
   * @param variables for every program that is started in it later.
   * @returns the place of its one pane.
   * @throws {TmuxFault} also if there is such a session already. A partly made session is removed again.
   */
  async newSession(
    session: string,
    directory: string,
    variables: Readonly<Record<string, string>>,
  ): Promise<TmuxPaneLocation> {
    const place = ['-d', '-s', session, '-n', 'agent', '-c', directory, '-x', '200', '-y', '50'];
    const shell = ['/bin/sh', '-c', leftShell];
    const made = readMade(await this.#start(['new-session', ...place, '-P', '-F', madeFormat, ...shell]));
    try {
      await this.#apart(() =>
        this.#runAll([
          ['set-option', '-t', `=${session}:`, 'mouse', 'on'],
          ...(made.windowIndex === '0' ? [] : [['move-window', '-s', made.windowId, '-t', `=${session}:0`]]),
          ['set-option', '-w', '-t', made.windowId, 'pane-base-index', '0'],
          ...environmentChanges(session, variables),
        ]),
      );
      return made;
    } catch (error) {
      await this.killSession(session).catch(() => undefined);
      throw error;
    }
  }

  /** Ends a session with all programs in it. @returns false if there was none. @throws {TmuxFault} */
  async killSession(session: string): Promise<boolean> {
    return (await this.#apart(() => this.#ask(['kill-session', '-t', `=${session}`]))) !== null;
  }

  /** Ends a pane. A session ends with its last pane. @returns false if there was none. @throws {TmuxFault} */
  async killPane(paneId: string): Promise<boolean> {
    return (await this.#apart(() => this.#ask(['kill-pane', '-t', paneId]))) !== null;
  }

  /**
   * Replaces the program in a pane.
   * @param script for `/bin/sh`: the user's own shell may not run anything. It is short: jobs travel by file, never by this
   * command line.
   */
  async respawnPane(paneId: string, directory: string, script: string): Promise<void> {
    const command = ['/bin/sh', '-c', script];
    await this.#apart(() => this.#run(['respawn-pane', '-k', '-t', paneId, '-c', directory, ...command]));
  }

  /** Sets variables for programs that are started in a session from now on; null removes one. */
  async setEnvironment(session: string, variables: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#runAll(environmentChanges(session, variables));
  }

  /** Opens another window that runs a program; it does not come to the front. */
  async newWindow(
    session: string,
    name: string,
    directory: string,
    environment: Readonly<Record<string, string>>,
    command: readonly string[],
  ): Promise<WindowHandle> {
    const variables = Object.entries(environment).flatMap(([variable, value]) => [
      '-e',
      `${variable}=${value}`,
    ]);
    const place = ['-d', '-P', '-F', madeFormat, '-t', `=${session}:`, '-n', name, '-c', directory];
    return readMade(await this.#apart(() => this.#run(['new-window', ...place, ...variables, ...command])));
  }

  /** Runs work that changes sessions or windows. */
  #apart<T>(work: () => Promise<T>): Promise<T> {
    return whileApart({ environment: this.#environment, socketPath: this.#socketPath }, work);
  }

  async #run(args: readonly string[]): Promise<string> {
    const answer = await this.#answer(args);
    if (answer.ok) return answer.stdout;
    throw faultOf(args, answer.reason);
  }

  /** Like `#run`, for a command that starts a server if there is none: a server that is just ending takes no new session. */
  async #start(args: readonly string[]): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#apart(() => this.#answer(args));
      if (answer.ok) return answer.stdout;
      if (!serverEnded.test(answer.reason) || tries === mostStarts) throw faultOf(args, answer.reason);
    }
  }

  /** Runs the commands one after the other, in one run of tmux, until one of them fails. */
  #runAll(commands: readonly (readonly string[])[]): Promise<string> {
    return this.#run(commands.flatMap((command, at) => (at === 0 ? command : [';', ...command])));
  }

  /** Returns the output of tmux; null if the requested session, window or pane does not exist. */
  async #ask(args: readonly string[]): Promise<string | null> {
    const answer = await this.#answer(args);
    if (answer.ok) return answer.stdout;
    if (answer.absent) return null;
    throw faultOf(args, answer.reason);
  }

  /** Runs tmux once; arguments stay well under its limit of 16 KB. */
  #answer(args: readonly string[]): Promise<Answer> {
    const socket = this.#socketPath === null ? [] : ['-S', this.#socketPath];
    const options = { timeout: commandMilliseconds, encoding: 'utf8', env: this.#environment } as const;
    return new Promise((resolve) => {
      const asked = execFile('tmux', [...socket, ...args], options, (error, stdout, stderr) => {
        // A program that is killed at the time limit may report that the server exited, or nothing, as if it had succeeded.
        if (asked.killed) return resolve({ ok: false, absent: false, reason: silence });
        if (!error) return resolve({ ok: true, stdout });
        const said = stderr.trim();
        resolve({ ok: false, absent: isAbsence(said), reason: reasonOf(error, said) });
      });
    });
  }
}

function readMade(said: string): WindowHandle {
  const [windowId = '', windowIndex = '', sessionId = '', paneId = '', pid, startedAt, ...path] = said
    .trim()
    .split(' ');
  const server = { socketPath: path.join(' '), pid: Number(pid), startedAt: Number(startedAt) };
  return { windowId, windowIndex, sessionId, paneId, ...server };
}

const faultOf = (args: readonly string[], reason: string): TmuxFault =>
  new TmuxFault(`tmux ${args[0]}: ${reason}`);

const environmentChanges = (
  session: string,
  variables: Readonly<Record<string, string | null>>,
): string[][] =>
  Object.entries(variables).map(([name, value]) => {
    // A semicolon at the end of an argument would begin the next command.
    const change = value === null ? ['-u', name] : [name, value.replace(/;$/, '\\;')];
    return ['set-environment', '-t', `=${session}`, ...change];
  });

const silence = `it did not answer within ${commandMilliseconds / 1000} s`;

const reasonOf = (error: ExecFileException, said: string): string => said || startTrouble(error);
