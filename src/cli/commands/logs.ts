import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../foundation/clock.js';
import { filesAside } from '../../foundation/set-aside.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { sessionPaths } from '../../session/session-paths.js';
import type { ServerFlag } from '../flags/options.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { interruptible, type Output } from '../words/terminal-output.js';
import { agentAtServer, requireAtServer } from './at-server/agent-at-server.js';
import { knownAgent, registeredAgent, stoppedAgent } from './find-agent.js';

export interface LogFlags extends ServerFlag {
  follow?: boolean;
  lines: number;
}

/** `agents logs`: prints the end of the gateway's log for people, whether or not the gateway runs. */
export async function showLog(name: string, flags: LogFlags, host: AgentHost, output: Output): Promise<void> {
  const path = await logOf(name, flags, host);
  if (!existsSync(path))
    throw new CommandFailure(
      `The gateway of ${name} has not written a log yet (${path}).`,
      exitCodes.notFound,
      {
        errorCode: 'no_log',
        remedies: [['start it', `houmao-mgr agents gateway attach ${name}`]],
      },
    );
  const { end, ...last } = lastLines(path, flags.lines);
  const lines = withOlder(path, last.lines, flags.lines);
  if (!flags.follow) return output.result({ path, lines }, lines);
  const report = (added: readonly string[]): void => {
    for (const line of added) output.result({ line }, [line]);
  };
  report(lines);
  await interruptible((signal) => followText(path, end, { report, signal, clock: host.clock }));
  throw new CommandFailure('Stopped.', exitCodes.stopped);
}

/** Returns the path of the log: of the session that the registry or a server knows, or of the last stopped one of that name. */
async function logOf(name: string, flags: ServerFlag, host: AgentHost): Promise<string> {
  const known = flags.server === undefined ? knownAgent(name, host) : null;
  if (known) return known.paths.log;
  const found =
    flags.server === undefined
      ? await agentAtServer(name, flags, host)
      : await requireAtServer(name, flags, host);
  const root = found?.identity.session_root;
  const stopped = found ? null : stoppedAgent(name, host);
  if (stopped) return sessionPaths(stopped.root).log;
  if (!found) return registeredAgent(name, host).paths.log;
  if (root === null || root === undefined || !existsSync(root))
    throw new CommandFailure(
      `The log of ${name} is a file of its session (${root ?? 'the server does not say where'}), which is not on this machine.`,
      exitCodes.notFound,
      { errorCode: 'no_log' },
    );
  return sessionPaths(root).log;
}

const chunkBytes = 64 * 1024;
const lookMs = 300;

/** Returns the last whole lines of a file, and the offset behind them, in bytes. */
export function lastLines(path: string, count: number): { lines: string[]; end: number } {
  const file = openSync(path, 'r');
  try {
    const end = fstatSync(file).size;
    let [text, from] = [Buffer.alloc(0), end];
    // One line break more than lines is needed: the text before the first break may be half a line.
    while (from > 0 && breaksIn(text) <= count) {
      const length = Math.min(chunkBytes, from);
      from -= length;
      text = Buffer.concat([bytesAt(file, from, length), text]);
    }
    const whole = text.lastIndexOf('\n') + 1;
    const lines = text.subarray(0, whole).toString('utf8').split('\n').slice(0, -1);
    return { lines: count === 0 ? [] : lines.slice(-count), end: end - text.length + whole };
  } finally {
    closeSync(file);
  }
}

/** Adds the last lines of the files that were set aside, where the log itself has fewer. */
function withOlder(path: string, lines: readonly string[], count: number): string[] {
  let all = [...lines];
  for (const older of filesAside(path))
    if (all.length < count) all = [...lastLines(older, count - all.length).lines, ...all];
  return all;
}

const breaksIn = (text: Buffer): number => text.reduce((sum, byte) => (byte === 0x0a ? sum + 1 : sum), 0);

function bytesAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, from));
}

interface Follower {
  report(lines: readonly string[]): void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Reports the lines that are added to a file after `from`, until `signal` aborts. A file that was set aside is read to its end, one
 * that was replaced or made shorter from its beginning; a file that is missing is awaited.
 */
async function followText(path: string, from: number, { report, signal, clock }: Follower): Promise<void> {
  let [offset, inode, rest, decoder] = [from, 0n, '', new StringDecoder('utf8')];
  while (!signal.aborted) {
    const added = addedTo(nextToRead(path, offset, inode), offset, inode);
    if (added?.isAnother) [rest, decoder] = ['', new StringDecoder('utf8')];
    if (added) {
      ({ offset, inode } = added);
      const lines = (rest + decoder.write(added.bytes)).split('\n');
      rest = lines.pop() ?? '';
      report(lines);
    }
    if (!added || added.bytes.length === 0) await clock.sleep(lookMs, signal);
  }
}

/** Returns the file that goes on behind what was read: the same one, also where it was set aside, or the one after it. */
function nextToRead(path: string, offset: number, inode: bigint): string {
  const files = [path, ...filesAside(path)];
  const statuses = files.map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }));
  const at = statuses.findIndex((status) => status?.ino === inode);
  const isRead = (statuses[at]?.size ?? 0n) <= BigInt(offset);
  return files[isRead ? at - 1 : at] ?? path;
}

/** Returns null while the file does not exist. */
function addedTo(path: string, offset: number, inode: bigint) {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { ino, size } = fstatSync(file, { bigint: true });
    const isAnother = (inode !== 0n && ino !== inode) || size < BigInt(offset);
    const from = isAnother ? 0 : offset;
    const bytes = bytesAt(file, from, chunkBytes);
    return { isAnother, inode: ino, offset: from + bytes.length, bytes };
  } finally {
    closeSync(file);
  }
}
