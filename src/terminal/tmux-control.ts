import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { identify } from '../foundation/processes.js';
import { whileApart } from './attach-apart.js';
import { controlArguments, endLeftClients, ownerMark } from './control-client.js';
import { type ControlEvent, ControlLines, commandLine } from './control-lines.js';
import { type ListedPane, listPanes } from './pane-listing.js';
import type { ControlListener, TerminalConnection } from './terminal-source.js';
import { startTrouble, TmuxFault } from './tmux-fault.js';

// One connection to a tmux server in control mode:
//
//   attaching ──its first reply──▶ open ──%exit, the end of the program, close──▶ closed
//
// A command that is not answered before the close fails with a TmuxFault: its outcome is unknown. A server that does not answer
// in time gets no more commands on this connection.

interface Asked {
  command: string;
  /** The text of the last of its replies; null if there is one reply. */
  until: string | null;
  lines: string[];
  failed: boolean;
  resolve: (lines: readonly string[]) => void;
  reject: (error: Error) => void;
  /** Ends the connection if there is no answer. */
  deadline: NodeJS.Timeout;
}

const lastReply = 'houmao: that was all';
/** The time limits for an answer, and for the end of the program. */
const answerMilliseconds = 5000;
const endMilliseconds = 1000;

export interface TmuxControlOptions extends ControlListener {
  environment: NodeJS.ProcessEnv;
  socketPath: string | null;
  /** Null for any existing session. */
  session: string | null;
  /** Without the output of programs in that session. */
  deaf?: boolean;
}

/**
 * Sends many commands to one tmux server without a process for each: reading a pane costs a seventh of starting `tmux` as a
 * program (docs/performance.md). It never changes the size of a window, and is invisible to people.
 */
export class TmuxControl implements TerminalConnection {
  readonly hears: boolean;
  readonly #client: ChildProcessWithoutNullStreams;
  readonly #lines = new ControlLines();
  readonly #asked: Asked[] = [];
  readonly #wrote: ControlListener['wrote'];
  readonly #closed: (reason: string) => void;
  #attached: Asked | null;
  #isOpen = false;
  #said = '';
  #reason: string | null = null;

  private constructor(options: TmuxControlOptions, attached: Asked) {
    this.hears = options.deaf !== true;
    this.#wrote = options.wrote;
    this.#closed = options.closed;
    this.#attached = attached;
    // On other systems than Linux the mark could not be read.
    const owner = process.platform === 'linux' ? identify(process.pid) : null;
    this.#client = spawn(
      'tmux',
      controlArguments(options.socketPath, options.session, options.deaf ? 'deaf' : 'hearing'),
      {
        env: { ...options.environment, ...(owner && ownerMark(owner)) },
      },
    );
    createInterface({ input: this.#client.stdout }).on('line', (line) => this.#read(line));
    this.#client.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
    // The input was written to after its end; `close` reports that.
    this.#client.stdin.on('error', () => undefined);
    this.#client.on('error', (error) => this.#close(startTrouble(error)));
    this.#client.on('close', () => this.#close(this.#said.trim() || 'the connection has ended'));
  }

  /**
   * Also ends the connections that killed gateways have left, because no other program does.
   * @throws {TmuxFault} if there is no such server or session.
   */
  static async open(options: TmuxControlOptions): Promise<TmuxControl> {
    const control = await whileApart(options, () => TmuxControl.#attach(options));
    try {
      endLeftClients();
    } catch (error) {
      await control.close();
      throw error;
    }
    if (control.#reason !== null) throw unanswered('attach-session', control.#reason);
    control.#isOpen = true;
    return control;
  }

  static #attach(options: TmuxControlOptions): Promise<TmuxControl> {
    return new Promise((resolve, reject) => {
      const control: TmuxControl = new TmuxControl(options, {
        command: 'attach-session',
        until: null,
        lines: [],
        failed: false,
        resolve: () => resolve(control),
        reject,
        deadline: setTimeout(() => control.#giveUp(), answerMilliseconds),
      });
    });
  }

  /**
   * Runs one command and resolves with the lines it prints.
   * @throws {TmuxFault} with the message of tmux; also if the connection ends meanwhile.
   * @throws {RangeError} for an argument that no command can carry.
   */
  ask(args: readonly string[]): Promise<readonly string[]> {
    return this.#send(args, null);
  }

  /**
   * Like {@link ask}, for a command that runs others, such as `if-shell`: each of them has its own reply, and their number is not
   * known before. Resolves with the lines of all.
   */
  askAll(args: readonly string[]): Promise<readonly string[]> {
    return this.#send(args, lastReply);
  }

  panes(session: string): Promise<readonly ListedPane[]> {
    return listPanes(this, ['-s', '-t', `=${session}:`]);
  }

  /** Ends the connection; the session stays. Resolves when the program has ended. */
  async close(): Promise<void> {
    if (this.#client.exitCode !== null || this.#client.signalCode !== null) return;
    // `exit` instead of `close`: a server that does not answer keeps the program's input and output open.
    const gone = new Promise((resolve) => this.#client.once('exit', resolve));
    // A client in control mode leaves with an empty line.
    this.#client.stdin.end('\n');
    const slow = setTimeout(() => this.#client.kill('SIGKILL'), endMilliseconds);
    await gone;
    clearTimeout(slow);
    this.#client.stdout.destroy();
  }

  #send(args: readonly string[], until: string | null): Promise<readonly string[]> {
    const command = args[0] ?? '';
    const lines = [
      commandLine(args),
      ...(until === null ? [] : [commandLine(['display-message', '-p', until])]),
    ];
    if (this.#reason !== null) return Promise.reject(unanswered(command, this.#reason));
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => this.#giveUp(), answerMilliseconds);
      this.#asked.push({ command, until, lines: [], failed: false, resolve, reject, deadline });
      this.#client.stdin.write(`${lines.join('\n')}\n`);
    });
  }

  #read(line: string): void {
    const event = this.#lines.read(line);
    if (event) this.#take(event);
  }

  #take(event: ControlEvent): void {
    if (event.kind === 'output') this.#wrote(event.paneId, event.data);
    else if (event.kind === 'exit') this.#close(event.reason ?? 'the tmux server closed the connection');
    else if (event.ours) this.#answer(event);
    else if (this.#attached) {
      settle({ ...this.#attached, failed: event.failed, lines: [...event.lines] });
      this.#attached = null;
    }
  }

  #answer({ failed, lines }: { failed: boolean; lines: readonly string[] }): void {
    const [asked] = this.#asked;
    if (!asked) return;
    const isLast = asked.until === null || lines[0] === asked.until;
    if (asked.until === null || !isLast) {
      asked.failed ||= failed;
      asked.lines.push(...lines);
    }
    if (isLast) settle(this.#asked.shift());
  }

  /** Closes a connection without an answer. The server may still run the pending commands later; it gets no more of them here. */
  #giveUp(): void {
    this.#close(`the tmux server did not answer within ${answerMilliseconds / 1000} s`);
    this.#client.kill('SIGKILL');
  }

  #close(reason: string): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    for (const asked of [...(this.#attached ? [this.#attached] : []), ...this.#asked.splice(0)]) {
      clearTimeout(asked.deadline);
      asked.reject(unanswered(asked.command, reason));
    }
    if (this.#isOpen) this.#closed(reason);
  }
}

function settle(asked: Asked | undefined): void {
  clearTimeout(asked?.deadline);
  if (asked?.failed) asked.reject(faultOf(asked.command, asked.lines.join(' ')));
  else asked?.resolve(asked.lines);
}

const unanswered = (command: string, reason: string): TmuxFault =>
  new TmuxFault(`tmux ${command}: ${reason}`, { unanswered: true });

const faultOf = (command: string, reason: string): TmuxFault => new TmuxFault(`tmux ${command}: ${reason}`);
