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
// What is asked before it is closed and not answered fails with a TmuxFault: whether tmux did it is not known. A server that does
// not answer in time is not asked any more on this connection.

interface Asked {
  command: string;
  /** What the last of its replies says; null where there is one reply. */
  until: string | null;
  lines: string[];
  failed: boolean;
  resolve: (lines: readonly string[]) => void;
  reject: (error: Error) => void;
  /** Ends the connection when there is no answer. */
  deadline: NodeJS.Timeout;
}

const lastReply = 'houmao: that was all';
/** For an answer, and for the program to end. */
const answerMilliseconds = 5000;
const endMilliseconds = 1000;

export interface ControlOptions extends ControlListener {
  environment: NodeJS.ProcessEnv;
  socketPath: string | null;
  /** Null for whichever session there is. */
  session: string | null;
  /** Without what programs write to the panes of that session. */
  deaf?: boolean;
}

/**
 * Asks one tmux server many things without a process for each: a look at a pane costs a seventh of what `tmux` costs as a
 * program (docs/performance.md). It never changes the size of a window, and nobody sees it.
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

  private constructor(options: ControlOptions, attached: Asked) {
    this.hears = options.deaf !== true;
    this.#wrote = options.wrote;
    this.#closed = options.closed;
    this.#attached = attached;
    // Elsewhere than on Linux nobody could read the mark.
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
    // Written to after its end; `close` tells of that.
    this.#client.stdin.on('error', () => undefined);
    this.#client.on('error', (error) => this.#close(startTrouble(error)));
    this.#client.on('close', () => this.#close(this.#said.trim() || 'the connection has ended'));
  }

  /**
   * Also ends the connections that gateways which were killed have left: nobody else would.
   * @throws {TmuxFault} when there is no such server or session.
   */
  static async open(options: ControlOptions): Promise<TmuxControl> {
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

  static #attach(options: ControlOptions): Promise<TmuxControl> {
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
   * @throws {TmuxFault} with what tmux says; also when the connection ends meanwhile.
   * @throws {RangeError} for an argument that no command can carry.
   */
  ask(args: readonly string[]): Promise<readonly string[]> {
    return this.#send(args, null);
  }

  /**
   * {@link ask} for a command that runs others, such as `if-shell`: each of them answers for itself, how many is not known
   * before. Resolves with the lines of all.
   */
  askAll(args: readonly string[]): Promise<readonly string[]> {
    return this.#send(args, lastReply);
  }

  panes(session: string): Promise<readonly ListedPane[]> {
    return listPanes(this, ['-s', '-t', `=${session}:`]);
  }

  /** Ends the connection; the session stays. Resolves when the program is gone. */
  async close(): Promise<void> {
    if (this.#client.exitCode !== null || this.#client.signalCode !== null) return;
    // Not `close`: a server that does not answer holds what the program reads and writes.
    const gone = new Promise((resolve) => this.#client.once('exit', resolve));
    // An empty line is how a client in control mode takes its leave.
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

  /** What was asked may still be done, when the server goes on: nothing more is asked of it here. */
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
