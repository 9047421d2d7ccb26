import type { Clock } from '../foundation/clock.js';
import { toJsonFile } from '../foundation/json-text.js';
import { ReservedFile } from '../foundation/reserved-file.js';
import { toSecondStamp } from '../foundation/timestamps.js';
import type { TurnArtifacts } from '../session/turn-artifacts.js';
import type { CanonicalEvent } from '../tools/adapter/canonical-event.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { type AgentExit, exitLine } from './agent-exit.js';
import { EventFile } from './event-file.js';
import { endLeftovers } from './leftovers.js';
import { Linger } from './linger.js';
import { readOutput } from './read-output.js';
import type { RecordError } from './record-error.js';
import { startAgent, startFaultOf, UnwritableArtifacts } from './start-agent.js';
import type { TurnJob } from './turn-job.js';

/** Called while a supervised agent runs. */
export interface SupervisionHooks {
  event(event: CanonicalEvent): void;
  /** Something is wrong with the turn's files; the turn goes on as far as possible. */
  report(fault: string): void;
}

/** Enough for two pids and a time, and for an exit code. */
const reservedBytes = 256;

/**
 * Runs the agent once, with `process.json` at its start and `exitcode` at its end. Ends when the agent's process has
 * ended and nothing it started is left. Never rejects.
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

/** @throws what keeps the agent from starting; nothing after that. */
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
  const sink = {
    event(...[draft, sessionId]: Parameters<EventFile['write']>) {
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
  attempt(() => room.exitCode?.write(exitLine(end)), report('exitcode could not be written'));
  return end;
}

/** The two files that tell of the agent's process: without them nobody could follow the turn, so they must not fail. */
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
