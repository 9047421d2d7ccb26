import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { deferred } from '../foundation/deferred.js';
import { toJsonFile, toJsonLine } from '../foundation/json-text.js';
import { processesOfTurn, turnMark } from '../foundation/marked-processes.js';
import { signalGroup, signalProcess } from '../foundation/signals.js';
import { toSecondStamp } from '../foundation/timestamps.js';
import { prepareArtifacts, type TurnArtifacts } from '../session/turn-artifacts.js';
import type { CanonicalDraft, CanonicalEvent } from '../tools/canonical-event.js';
import { stderrDraft } from '../tools/diagnostic-draft.js';
import { readLine } from '../tools/read-line.js';
import { sessionIdOf } from '../tools/session-id.js';
import type { ToolName } from '../tools/tool-name.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { followLines } from './line-follower.js';
import { signalLivingGroup } from './process-group.js';

/** Everything needed to run one turn, also by a process that knows nothing else. */
export interface TurnJob {
  turnId: string;
  turnIndex: number;
  tool: ToolName;
  executable: string;
  args: readonly string[];
  workingDirectory: string;
  environment: Readonly<Record<string, string>>;
  stdin: string;
  files: Readonly<Record<string, string>>;
  artifacts: TurnArtifacts;
}

export interface SupervisionHooks {
  spawned(agentPid: number): void;
  event(event: CanonicalEvent): void;
  oversizedRow(bytes: number): void;
  /** Something about the turn's files went wrong; the turn goes on as far as it can. */
  fault(detail: string): void;
}

export interface ProcessEnd {
  startFault: { code: string; detail: string } | null;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** An agent that reported its result but stays is given this long after its last row. */
const lingerMilliseconds = 5000;
/** Between TERM and KILL for what the agent left behind. */
const leftoverMilliseconds = 500;
/** stderr lines that become diagnostic events; the file holds all of them. */
const maxStderrEvents = 1000;

/**
 * Runs the agent once. Its output goes straight to files by its own file descriptors, so neither a grandchild that
 * keeps them open nor our own death can hold it up; the rows are read from the file as it grows. Ends when the agent's
 * process has ended and nothing it started is left. Never rejects.
 */
export async function supervise(job: TurnJob, hooks: SupervisionHooks, clock: Clock): Promise<ProcessEnd> {
  let child: ChildProcess;
  try {
    child = start(job);
  } catch (error) {
    return faulted(job, error as NodeJS.ErrnoException);
  }
  const exited = deferred<ProcessEnd>();
  child.once('error', (error) => exited.resolve(faulted(job, error)));
  child.once('exit', (exitCode, signal) => exited.resolve({ startFault: null, exitCode, signal }));
  const pid = child.pid;
  if (pid === undefined) return exited.promise;
  const told = (what: string) => (error: unknown) =>
    hooks.fault(`turn ${job.turnId}: ${what}: ${(error as Error).message}`);
  attempt(() => writeProcess(job, pid, clock), told('process.json could not be written'));
  hooks.spawned(pid);
  const finished = new AbortController();
  const linger = lingerAfterResult(pid, finished.signal, clock);
  const reading = readOutput(job, hooks, clock, finished.signal, linger).catch(
    told('its output could not be read'),
  );
  const end = await exited.promise;
  await endLeftovers(job.turnId, pid, clock).catch(told('what it left behind could not be ended'));
  finished.abort();
  await reading;
  attempt(
    () => writeFileAtomic(job.artifacts.exitCode, `${exitNumber(end)}\n`),
    told('exitcode could not be written'),
  );
  return end;
}

function attempt(work: () => void, failed: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    failed(error);
  }
}

function writeProcess(job: TurnJob, pid: number, clock: Clock): void {
  const identity = { runner_pid: process.pid, child_pid: pid, launched_at_utc: toSecondStamp(clock.now()) };
  writeFileAtomic(job.artifacts.process, toJsonFile(identity));
}

/** Opens the files and starts the process. What it opened it closes; the child has its own copies. */
function start(job: TurnJob): ChildProcess {
  const files = openFiles(job);
  try {
    return spawn(job.executable, [...job.args], {
      cwd: job.workingDirectory,
      env: { ...job.environment, [turnMark]: job.turnId },
      // A session and process group of its own: signals reach all of it and none of us.
      detached: true,
      stdio: files,
    });
  } finally {
    for (const descriptor of files) closeSync(descriptor);
  }
}

class UnwritableArtifacts extends Error {}

/** The agent's three standard files. @throws {UnwritableArtifacts} */
function openFiles(job: TurnJob): number[] {
  const files: number[] = [];
  try {
    prepareArtifacts(job.artifacts);
    for (const [path, content] of Object.entries(job.files)) writeFileSync(path, content, { mode: 0o600 });
    files.push(openPrompt(job));
    files.push(openSync(job.artifacts.stdout, 'w', 0o600));
    files.push(openSync(job.artifacts.stderr, 'w', 0o600));
    return files;
  } catch (error) {
    for (const descriptor of files) closeSync(descriptor);
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UnwritableArtifacts(`The files of the turn could not be written (${code ?? message}).`);
  }
}

/** The prompt as a readable file without a name: nobody else can open it, and nothing is left of it afterwards. */
function openPrompt(job: TurnJob): number {
  const path = join(job.artifacts.directory, 'prompt.tmp');
  writeFileSync(path, job.stdin, { mode: 0o600 });
  const descriptor = openSync(path, 'r');
  unlinkSync(path);
  return descriptor;
}

function faulted(job: TurnJob, error: NodeJS.ErrnoException): ProcessEnd {
  if (error instanceof UnwritableArtifacts) {
    return { startFault: { code: 'internal_fault', detail: error.message }, exitCode: null, signal: null };
  }
  const detail = !existsSync(job.workingDirectory)
    ? 'The working directory of the agent does not exist.'
    : error.code === 'ENOENT'
      ? `The program ${basename(job.executable)} was not found; install it or launch the agent with --executable.`
      : `The program ${basename(job.executable)} could not be started (${error.code ?? 'unknown'}).`;
  return { startFault: { code: 'agent_missing', detail }, exitCode: null, signal: null };
}

/** Death by signal N is -N, as the reference writes it (trap T-45). */
function exitNumber(end: ProcessEnd): number {
  if (end.signal) return -(constants.signals[end.signal] ?? 1);
  return end.exitCode ?? 1;
}

/** Reads both outputs into canonical events, on disk and for the hooks. */
async function readOutput(
  job: TurnJob,
  hooks: SupervisionHooks,
  clock: Clock,
  finished: AbortSignal,
  linger: { completed(): void; row(): void },
): Promise<void> {
  const adapter = toolAdapter(job.tool);
  const file = openSync(job.artifacts.canonicalEvents, 'w', 0o600);
  let writable = true;
  let sessionId: string | null = null;
  let stderrLines = 0;
  // A full disk costs the file, not the turn.
  const record = (line: string): void => {
    if (!writable) return;
    try {
      writeSync(file, line);
    } catch (error) {
      writable = false;
      hooks.fault(
        `turn ${job.turnId}: canonical-events.jsonl could not be written: ${(error as Error).message}`,
      );
    }
  };
  const emit = (drafts: readonly CanonicalDraft[]): void => {
    const timestamp = toSecondStamp(clock.now());
    for (const draft of drafts) {
      const event: CanonicalEvent = {
        ...draft,
        turn_index: job.turnIndex,
        provider: job.tool,
        timestamp_utc: timestamp,
        session_id: sessionId,
      };
      record(`${toJsonLine(event)}\n`);
      hooks.event(event);
      if (draft.kind === 'completion') linger.completed();
    }
  };
  const diagnostic = (providerEventType: string, text: string): CanonicalDraft => ({
    kind: 'diagnostic',
    message: text,
    provider_event_type: providerEventType,
    data: { severity: 'warning', text },
    raw_payload: null,
  });
  const stdout = followLines(
    job.artifacts.stdout,
    {
      line(text, wellFormed) {
        linger.row();
        if (text.trim() === '') return;
        sessionId ??= sessionIdOfLine(text);
        emit(readLine(text, adapter));
        if (!wellFormed)
          emit([diagnostic('invalid_utf8', 'A row held bytes that are not UTF-8; stdout.jsonl has them.')]);
      },
      oversized(bytes) {
        linger.row();
        hooks.oversizedRow(bytes);
        emit([
          diagnostic('oversized_row', `A row of ${bytes} bytes is too long to read; stdout.jsonl has it.`),
        ]);
      },
    },
    finished,
  );
  const stderr = followLines(
    job.artifacts.stderr,
    {
      line(text) {
        if (text.trim() === '') return;
        stderrLines += 1;
        if (stderrLines <= maxStderrEvents) emit([stderrDraft(text)]);
      },
      oversized: (bytes) =>
        emit([diagnostic('oversized_row', `A line of ${bytes} bytes on stderr is too long to read.`)]),
    },
    finished,
  );
  try {
    await Promise.all([stdout, stderr]);
    if (stderrLines > maxStderrEvents) {
      emit([diagnostic('stderr', `${stderrLines - maxStderrEvents} more lines are in stderr.log.`)]);
    }
  } finally {
    closeSync(file);
  }
}

function sessionIdOfLine(text: string): string | null {
  try {
    const row: unknown = JSON.parse(text);
    return row !== null && typeof row === 'object' && !Array.isArray(row)
      ? sessionIdOf(row as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Ends an agent that has said its result and then stays silent. */
function lingerAfterResult(
  pid: number,
  finished: AbortSignal,
  clock: Clock,
): { completed(): void; row(): void } {
  let resulted = false;
  let quiet = new AbortController();
  const arm = async (): Promise<void> => {
    quiet.abort();
    quiet = new AbortController();
    const patience = AbortSignal.any([quiet.signal, finished]);
    await clock.sleep(lingerMilliseconds, patience);
    if (patience.aborted) return;
    signalGroup(pid, 'SIGTERM');
    await clock.sleep(lingerMilliseconds, finished);
    if (!finished.aborted) signalGroup(pid, 'SIGKILL');
  };
  const guarded = (): void => {
    arm().catch(() => undefined);
  };
  return {
    completed() {
      resulted = true;
      guarded();
    },
    row() {
      if (resulted) guarded();
    },
  };
}

/** No child outlives its turn: the rest of the process group, and whoever left it but carries our mark. */
export async function endLeftovers(
  turnId: string,
  groupLeader: number | null,
  clock: Clock,
): Promise<number> {
  const signalAll = (signal: NodeJS.Signals): number => {
    const group = groupLeader !== null && signalLivingGroup(groupLeader, signal) ? 1 : 0;
    const marked = processesOfTurn(turnId).filter((pid) => signalProcess(pid, signal));
    return group + marked.length;
  };
  const found = signalAll('SIGTERM');
  for (
    let left = found, waited = 0;
    left > 0;
    left = signalAll(waited < leftoverMilliseconds ? 'SIGTERM' : 'SIGKILL')
  ) {
    await clock.sleep(20);
    waited += 20;
    if (waited > 10 * leftoverMilliseconds) break;
  }
  return found;
}
