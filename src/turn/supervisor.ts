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
  writeFileAtomic(
    job.artifacts.process,
    toJsonFile({ runner_pid: process.pid, child_pid: pid, launched_at_utc: toSecondStamp(clock.now()) }),
  );
  hooks.spawned(pid);
  const finished = new AbortController();
  const reading = readOutput(job, hooks, clock, finished.signal, () =>
    lingerAfterResult(pid, finished.signal, clock),
  );
  const end = await exited.promise;
  await endLeftovers(job.turnId, pid, clock);
  finished.abort();
  await reading;
  writeFileAtomic(job.artifacts.exitCode, `${exitNumber(end)}\n`);
  return end;
}

/** Opens the files and starts the process. What it opened it closes; the child has its own copies. */
function start(job: TurnJob): ChildProcess {
  prepareArtifacts(job.artifacts);
  for (const [path, content] of Object.entries(job.files)) writeFileSync(path, content, { mode: 0o600 });
  const open: number[] = [];
  const keep = (descriptor: number): number => {
    open.push(descriptor);
    return descriptor;
  };
  try {
    return spawn(job.executable, [...job.args], {
      cwd: job.workingDirectory,
      env: { ...job.environment, [turnMark]: job.turnId },
      // A session and process group of its own: signals reach all of it and none of us.
      detached: true,
      stdio: [
        keep(openPrompt(job)),
        keep(openSync(job.artifacts.stdout, 'w', 0o600)),
        keep(openSync(job.artifacts.stderr, 'w', 0o600)),
      ],
    });
  } finally {
    for (const descriptor of open) closeSync(descriptor);
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
  onRow: () => { completed(): void; row(): void },
): Promise<void> {
  const adapter = toolAdapter(job.tool);
  const file = openSync(job.artifacts.canonicalEvents, 'w', 0o600);
  const linger = onRow();
  let sessionId: string | null = null;
  let stderrLines = 0;
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
      writeSync(file, `${toJsonLine(event)}\n`);
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
  await Promise.all([stdout, stderr]);
  if (stderrLines > maxStderrEvents) {
    emit([diagnostic('stderr', `${stderrLines - maxStderrEvents} more lines are in stderr.log.`)]);
  }
  closeSync(file);
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
    const group = groupLeader !== null && signalGroup(groupLeader, signal) ? 1 : 0;
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
