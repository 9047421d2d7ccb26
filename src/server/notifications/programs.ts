import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../foundation/clock.js';
import { signalGroup } from '../../foundation/processes.js';
import { sanitiseLine } from '../../foundation/text.js';
import type { NotificationMessage } from './message.js';
import type { Attempt } from './notification.js';

export interface ProgramParts {
  readonly environment: NodeJS.ProcessEnv;
  /** The folder in which the programs run. */
  readonly home: string;
  /** The time that a program has. */
  readonly milliseconds: number;
  readonly clock: Clock;
}

/** The last part of the output that is kept, in characters. */
const keptCharacters = 1000;

/** Runs the programs that tell the user of this machine of an event: `notify-send`, and commands of the user. */
export class LocalPrograms {
  readonly #parts: ProgramParts;

  constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  /** Shows a message on the desktop. Never rejects. */
  show(message: NotificationMessage, stopping: AbortSignal): Promise<Attempt> {
    const { title, question } = message.data;
    const urgency = question === null ? 'normal' : 'critical';
    const text = question === null ? '' : `${question.text}\n${question.command}`;
    return this.#run(
      ['notify-send', '--app-name=Houmao', `--urgency=${urgency}`, '--', title, asMarkup(text)],
      { stdin: '', variables: {} },
      stopping,
    );
  }

  /** Runs a command of the user with a message. Never rejects. */
  call(
    command: readonly string[],
    messageId: string,
    message: NotificationMessage,
    stopping: AbortSignal,
  ): Promise<Attempt> {
    const { agent_name: name, tracked_agent_id: id } = message.data;
    const variables = {
      HOUMAO_EVENT_KIND: message.type,
      HOUMAO_EVENT_AGENT: name ?? id ?? '',
      HOUMAO_EVENT_AGENT_ID: id ?? '',
      HOUMAO_EVENT_MESSAGE_ID: messageId,
    };
    return this.#run(command, { stdin: `${JSON.stringify(message)}\n`, variables }, stopping);
  }

  /** The program gets a process group of its own, of which nothing is left when it has ended, or its time is over. */
  #run(
    [program = '', ...args]: readonly string[],
    { stdin, variables }: { stdin: string; variables: Readonly<Record<string, string>> },
    stopping: AbortSignal,
  ): Promise<Attempt> {
    const { environment, home, milliseconds, clock } = this.#parts;
    const child = spawn(program, args, {
      cwd: home,
      env: { ...environment, ...variables },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const limit = AbortSignal.timeout(milliseconds);
    const ended = AbortSignal.any([stopping, limit]);
    const output = lastOf(child);
    // A program that does not read its input ends all the same.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    return new Promise((resolve) => {
      const endGroup = (): void => {
        if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      };
      const cut = (): void => {
        endGroup();
        // A process that has left the group may still hold them.
        child.stdout.destroy();
        child.stderr.destroy();
      };
      const settle = (outcome: Pick<Attempt, 'code' | 'status' | 'detail'>): void => {
        ended.removeEventListener('abort', cut);
        resolve({ ...outcome, at: clock.now().getTime(), retryAfterSeconds: null });
      };
      ended.addEventListener('abort', cut, { once: true });
      child.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
        settle({ code: 'no_program', status: null, detail: missing(program, code) }),
      );
      child.once('exit', endGroup);
      child.once('close', (code, signal) => {
        if (child.pid === undefined) return;
        const said = output() === '' ? '' : ` It said: ${output()}`;
        if (limit.aborted) {
          const detail = `${program} did not end in ${milliseconds / 1000} s, and was ended.${said}`;
          settle({ code: 'timeout', status: null, detail });
        } else if (code === 0) settle({ code: 'delivered', status: 0, detail: `${program} ran.${said}` });
        else {
          const end = code === null ? `was ended by ${signal}` : `ended with ${code}`;
          settle({ code: 'program_failed', status: code, detail: `${program} ${end}.${said}` });
        }
      });
    });
  }
}

function missing(program: string, code: string): string {
  if (code !== 'ENOENT') return `${program} cannot be run (${code}).`;
  return program === 'notify-send'
    ? 'There is no notify-send in the PATH of this server; install it (Debian: libnotify-bin).'
    : `There is no program ${program}.`;
}

/** Collects the end of what a program prints. */
function lastOf({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text = (text + piece).slice(-keptCharacters);
    });
  return () => sanitiseLine(text);
}

/** Desktops take the text of a notice for markup. */
const asMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
