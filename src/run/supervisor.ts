import { closeSync, openSync, writeSync } from 'node:fs';
import { ReservedFile } from '../foundation/atomic-file.js';
import { type Clock, toSecondStamp } from '../foundation/clock.js';
import { toJsonFile, toJsonLine } from '../foundation/json-text.js';
import { signalGroup } from '../foundation/processes.js';
import type { TurnArtifacts } from '../session/session-paths.js';
import { pieceOf } from '../tools/adapter/row-facts.js';
import type { CanonicalDraft, CanonicalEvent } from '../tools/adapter/tool-adapter.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { type AgentExit, exitLine } from './agent-exit.js';
import { endLeftovers } from './end-processes.js';
import { PartWriter } from './part-file.js';
import { readOutput } from './read-output.js';
import type { RecordError } from './record-error.js';
import { startAgent, startFaultOf, UnwritableArtifacts } from './start-agent.js';
import type { TurnJob } from './turn-job.js';
import { PartReading } from './turn-parts.js';

/** Called while a supervised agent runs. */
export interface SupervisionHooks {
  event(event: CanonicalEvent): void;
  /** There is a fault in the turn's files; the turn continues as far as possible. */
  report(fault: string): void;
}

/** The space for two pids and a time, and for an exit code. */
const reservedBytes = 256;

/**
 * Runs the agent once, with `process.json` at its start and `exitcode` at its end. Ends when the agent's process and all
 * processes that it started have ended. Never rejects.
 */
export async function supervise(
  job: TurnJob,
  hooks: SupervisionHooks,
  clock: Clock,
): Promise<AgentExit | RecordError> {
  const room = new Room(job.artifacts);
  try {
    return await run(job, room, hooks, clock);
  } catch (error) {
    room.release();
    return startFaultOf(job, error as NodeJS.ErrnoException);
  }
}

/** @throws the error that keeps the agent from starting; nothing after that. */
async function run(job: TurnJob, room: Room, hooks: SupervisionHooks, clock: Clock): Promise<AgentExit> {
  room.take();
  const child = startAgent(job);
  const exited = new Promise<AgentExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const { pid } = child;
  if (pid === undefined) return exited;
  const report = (what: string) => (error: unknown) => hooks.report(`${what}: ${(error as Error).message}`);
  const identity = { runner_pid: process.pid, child_pid: pid, launched_at_utc: toSecondStamp(clock.now()) };
  attempt(() => room.process?.write(toJsonFile(identity)), report('process.json could not be written'));
  const finished = new AbortController();
  const linger = new Linger(pid, finished.signal, clock);
  const adapter = toolAdapter(job.tool);
  const events = new EventFile(job, clock, hooks.report);
  const turnParts = new PartReading();
  const parts = new PartWriter(job.artifacts.parts, clock, hooks.report, 'expected');
  const sink = {
    event(...[draft, sessionId]: Parameters<EventFile['write']>) {
      for (const part of turnParts.of(draft)) parts.write(part);
      if (pieceOf(draft) !== null) return;
      hooks.event(events.write(draft, sessionId));
      if (draft.kind === 'completion') linger.completed();
      const tasks = adapter.backgroundTasks(draft);
      if (tasks !== null) linger.tasks(tasks);
    },
    row: () => linger.row(),
    oversizedRow: () => undefined,
  };
  const reading = readOutput(job.artifacts, adapter, sink, finished.signal).catch(
    report('its output could not be read'),
  );
  const end = await exited;
  await endLeftovers(job, pid, clock).catch(report('what it left behind could not be ended'));
  finished.abort();
  await reading;
  events.close();
  parts.close();
  attempt(() => room.exitCode?.write(exitLine(end)), report('exitcode could not be written'));
  return end;
}

/** The two files that describe the agent's process. Without them the turn could not be followed, so their space is reserved. */
class Room {
  readonly #artifacts: TurnArtifacts;
  process: ReservedFile | null = null;
  exitCode: ReservedFile | null = null;

  constructor(artifacts: TurnArtifacts) {
    this.#artifacts = artifacts;
  }

  /** @throws {UnwritableArtifacts} */
  take(): void {
    try {
      this.process = new ReservedFile(this.#artifacts.process, reservedBytes);
      this.exitCode = new ReservedFile(this.#artifacts.exitCode, reservedBytes);
    } catch (error) {
      throw new UnwritableArtifacts(error);
    }
  }

  release(): void {
    this.process?.release();
    this.exitCode?.release();
  }
}

function attempt(work: () => void, failed: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    failed(error);
  }
}

/** Writes `canonical-events.jsonl` of a turn. On a full disk lines are lost; the turn continues. */
class EventFile {
  readonly #job: TurnJob;
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  #descriptor: number | null = null;

  /** @param report called once, when the file cannot be written any more. */
  constructor(job: TurnJob, clock: Clock, report: (fault: string) => void) {
    this.#job = job;
    this.#clock = clock;
    this.#report = report;
    this.#attempt(() => {
      this.#descriptor = openSync(job.artifacts.canonicalEvents, 'w', 0o600);
    });
  }

  write(draft: CanonicalDraft, sessionId: string | null): CanonicalEvent {
    const event: CanonicalEvent = {
      ...draft,
      turn_index: this.#job.turnIndex,
      provider: this.#job.tool,
      timestamp_utc: toSecondStamp(this.#clock.now()),
      session_id: sessionId,
    };
    const descriptor = this.#descriptor;
    if (descriptor !== null) this.#attempt(() => writeSync(descriptor, `${toJsonLine(event)}\n`));
    return event;
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.close();
      this.#report(`canonical-events.jsonl could not be written: ${(error as Error).message}`);
    }
  }
}

// The states of an agent that has reported its result:
//
//   at work ──result, no task in the background──▶ lingering ──5 s without a row──▶ SIGTERM
//      ▲  └──result, tasks in the background──▶ waiting for them ──the last one has ended──▶ awaited
//      └──────────────────────────a row of the next result─────────────────────────────────────┘
//
// The end of a task wakes the agent for another answer. An agent that is not woken, and does not exit, is ended after
// `awaitedMilliseconds`.

/** How long after its last row an agent is ended that has reported its result but does not exit. */
const lingerMilliseconds = 5000;
/** The same after the end of a background task: the model may think for minutes before it responds to the task. */
const awaitedMilliseconds = 600_000;

/** Ends an agent that has reported its result but does not exit. */
export class Linger {
  readonly #pid: number;
  readonly #finished: AbortSignal;
  readonly #clock: Clock;
  #resulted = false;
  #tasks = 0;
  #patience = lingerMilliseconds;
  #quiet = new AbortController();

  /** @param pid the leader of the agent's process group. @param finished aborts when the agent has ended. */
  constructor(pid: number, finished: AbortSignal, clock: Clock) {
    this.#pid = pid;
    this.#finished = finished;
    this.#clock = clock;
  }

  /** Notes that the agent reported its result. */
  completed(): void {
    this.#resulted = true;
    this.#patience = lingerMilliseconds;
    this.row();
  }

  /** Notes that the agent now has `count` tasks in the background. */
  tasks(count: number): void {
    if (this.#resulted && this.#tasks > 0 && count === 0) this.#patience = awaitedMilliseconds;
    this.#tasks = count;
    this.row();
  }

  /** Notes that the agent wrote a row. */
  row(): void {
    this.#quiet.abort();
    if (this.#resulted && this.#tasks === 0) this.#arm().catch(() => undefined);
  }

  async #arm(): Promise<void> {
    this.#quiet = new AbortController();
    const patience = AbortSignal.any([this.#quiet.signal, this.#finished]);
    await this.#clock.sleep(this.#patience, patience);
    if (patience.aborted) return;
    signalGroup(this.#pid, 'SIGTERM');
    await this.#clock.sleep(lingerMilliseconds, this.#finished);
    if (!this.#finished.aborted) signalGroup(this.#pid, 'SIGKILL');
  }
}
