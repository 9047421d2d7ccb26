import { type ExecFileException, execFile } from 'node:child_process';
import type { TmuxPlace } from '../session/manifest-facts.js';
import { usualSocket, whileApart } from './attach-apart.js';
import { type ListedPane, listingFormat, readListedPane } from './pane-listing.js';
import { leftShell } from './start-script.js';
import type { ControlListener } from './terminal-source.js';
import { TmuxControl } from './tmux-control.js';
import { startTrouble, TmuxFault, tooOld } from './tmux-fault.js';

/** Where a window is; ids stay, the index may change. */
export interface WindowHandle extends TmuxPlace {
  windowId: string;
  windowIndex: string;
}

const madeFormat =
  '#{window_id} #{window_index} #{session_id} #{pane_id} #{pid} #{start_time} #{socket_path}';

const commandMilliseconds = 5000;
/** What tmux says of a server that ended while it was asked, as it does with its last session; it did nothing then. */
const serverEnded = /^(no server running|server exited unexpectedly|lost server|no current target)/;
/** So often a new session is tried while servers end. */
const mostStarts = 10;
/** What tmux says when the server, session or window that was asked for does not exist. */
const isAbsence = (said: string): boolean =>
  serverEnded.test(said) ||
  /^can't find (session|window|pane)/.test(said) ||
  /^error connecting to .* \((No such file or directory|Connection refused)\)/.test(said);

type Answer = { ok: true; stdout: string } | { ok: false; absent: boolean; reason: string };

/** One tmux server, reached with one environment. It holds nothing open: each call runs the `tmux` program once. */
export class Tmux {
  readonly #socketPath: string | null;
  readonly #environment: NodeJS.ProcessEnv;

  /**
   * @param options.environment of every tmux program, and of the server if one has to be started. `PATH` finds tmux;
   * without `socketPath`, `TMUX` and `TMUX_TMPDIR` say which server is meant.
   * @param options.socketPath the socket of a server of one's own, at most 107 bytes long.
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

  /** Null for the server that the environment means. */
  get socketPath(): string | null {
    return this.#socketPath;
  }

  /** The server that listens there, reached with the same environment. */
  at(socketPath: string): Tmux {
    return new Tmux({ environment: this.#environment, socketPath });
  }

  /** The command with which a person sees a session of this server, from any shell. */
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
   * Opens a connection that is not told what programs write, to whichever session there is.
   * @param session the one to prefer.
   * @param closed called once, when it can be asked nothing any more.
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

  /** @throws {TmuxFault} when this tmux is not installed, or too old for agents in terminals. */
  async requireTerminals(): Promise<void> {
    const fault = tooOld(await this.#run(['-V']));
    if (fault !== null) throw new TmuxFault(fault);
  }

  /** @throws {TmuxFault} when it cannot be told: tmux is not installed, or does not answer. */
  async hasSession(session: string): Promise<boolean> {
    return (await this.#ask(['has-session', '-t', `=${session}`])) !== null;
  }

  /** The names of all sessions. @throws {TmuxFault} when it cannot be told. */
  async sessionNames(): Promise<ReadonlySet<string>> {
    const found = await this.#ask(['list-sessions', '-F', '#{session_name}']);
    return new Set((found ?? '').split('\n').filter((name) => name !== ''));
  }

  /** All panes of this server; none where it does not run. @throws {TmuxFault} when it cannot be told. */
  async panes(): Promise<readonly ListedPane[]> {
    const said = await this.#ask(['list-panes', '-a', '-F', listingFormat]);
    return (said ?? '').split('\n').flatMap((line) => readListedPane(line) ?? []);
  }

  /**
   * A detached session with one window, index 0, named `agent`.
   * @param variables for everything that is started in it later.
   * @returns where its one pane is.
   * @throws {TmuxFault} also when there is such a session already. What was begun is taken away again.
   */
  async newSession(
    session: string,
    directory: string,
    variables: Readonly<Record<string, string>>,
  ): Promise<TmuxPlace> {
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

  /** Ends a session with all that runs in it. @returns false when there was none. @throws {TmuxFault} */
  async killSession(session: string): Promise<boolean> {
    return (await this.#apart(() => this.#ask(['kill-session', '-t', `=${session}`]))) !== null;
  }

  /** A session ends with its last pane. @returns false when there was none. @throws {TmuxFault} */
  async killPane(paneId: string): Promise<boolean> {
    return (await this.#apart(() => this.#ask(['kill-pane', '-t', paneId]))) !== null;
  }

  /**
   * Replaces what runs in a pane.
   * @param script for `/bin/sh`: the user's own shell may run nothing. It is short: jobs travel by file, never by this command line.
   */
  async respawnPane(paneId: string, directory: string, script: string): Promise<void> {
    const command = ['/bin/sh', '-c', script];
    await this.#apart(() => this.#run(['respawn-pane', '-k', '-t', paneId, '-c', directory, ...command]));
  }

  /** Sets variables for what is started in a session from now on; null takes one away. */
  async setEnvironment(session: string, variables: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#runAll(environmentChanges(session, variables));
  }

  /** A further window that runs a program; it does not come to the front. */
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

  /** For what changes sessions or windows. */
  #apart<T>(work: () => Promise<T>): Promise<T> {
    return whileApart({ environment: this.#environment, socketPath: this.#socketPath }, work);
  }

  async #run(args: readonly string[]): Promise<string> {
    const answer = await this.#answer(args);
    if (answer.ok) return answer.stdout;
    throw faultOf(args, answer.reason);
  }

  /** The same for what starts a server where there is none: one that is just ending takes no new session. */
  async #start(args: readonly string[]): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#apart(() => this.#answer(args));
      if (answer.ok) return answer.stdout;
      if (!serverEnded.test(answer.reason) || tries === mostStarts) throw faultOf(args, answer.reason);
    }
  }

  /** One after the other, by one run of tmux, until one of them fails. */
  #runAll(commands: readonly (readonly string[])[]): Promise<string> {
    return this.#run(commands.flatMap((command, at) => (at === 0 ? command : [';', ...command])));
  }

  /** What tmux prints; null when what was asked for does not exist. */
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
        // One that is ended because its time is over may say that the server exited, or nothing, as if all were well.
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
