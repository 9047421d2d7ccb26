import { existsSync, readFileSync } from 'node:fs';
import type { Clock } from '../foundation/clock.js';
import { deferred } from '../foundation/concurrency.js';
import { FolderWatch } from '../foundation/folders.js';
import {
  carriesMark,
  processesOfTurn,
  showsNoEnvironment,
  type TurnMark,
} from '../foundation/marked-processes.js';
import {
  identify,
  isAlive,
  linuxProcessStat,
  type ProcessIdentity,
  signalGroup,
} from '../foundation/processes.js';
import type { TurnArtifacts } from '../session/session-paths.js';
import type { ToolAdapter } from '../tools/adapter/tool-adapter.js';
import { type AgentExit, readExit } from './agent-exit.js';
import { endLeftovers, stopGroup } from './end-processes.js';
import { readOutput, readTail } from './read-output.js';
import type { RecordError } from './record-error.js';
import type { RunningTurn, TurnObserver, TurnSigns } from './running-turn.js';
import { readStartFault, UnwritableArtifacts } from './start-agent.js';
import { revokeJob } from './turn-job.js';
import { TurnReading, tailBytes } from './turn-reading.js';

// A turn as its files describe it, whatever process started it:
//
//   its job waits ──the runner takes it──▶ starting ──process.json──▶ running ──exitcode──▶ over
//        │                                    │                          └─ the runner is gone without it ──▶ over, lost
//        └─ no runner takes it in time        └─ start-fault.json, or the runner is gone ──▶ over, not started

/** The time limit for the runner to start, and to start the agent. */
const startMilliseconds = 20_000;
/** The same for the job of an owner that died: its host was asked to start the runner before, or never will be. */
const adoptMilliseconds = 5000;
/** How long to wait after the job file was removed: a runner that has just read it is starting the agent. */
const revokeMilliseconds = 200;
/** The time limit for a runner to exit after it wrote `exitcode`, its last task. */
const leaveMilliseconds = 1000;
const pollMilliseconds = 5;

/** A turn to follow. */
export interface FollowedTurn extends TurnMark {
  adapter: ToolAdapter;
  artifacts: TurnArtifacts;
  jobFile: string;
  /** {@link TurnHost.place}, for the evidence of its delivery. */
  place: string;
  /** Values that no error may repeat; null if they are unknown, and then no text of the agent is repeated at all. */
  secrets: readonly string[] | null;
  /** Processes of the turn that are already known. */
  processes: readonly ProcessIdentity[];
}

/** @param spawned the runner, as soon as it was started; null for a turn that another process started. */
export function followTurn(
  turn: FollowedTurn,
  spawned: Promise<ProcessIdentity | null> | null,
  observer: TurnObserver,
  clock: Clock,
): RunningTurn {
  const follower = new Follower(turn, observer, clock);
  const ended = follower.run(spawned);
  return {
    ended,
    leave: () => follower.leave(),
    stop: async (ladder) => {
      const pid = await follower.agent;
      return stopGroup((signal) => pid !== null && signalGroup(pid, signal), ended, ladder, clock);
    },
  };
}

/** The pause between checks of a process without an environment: one that is becoming another program shows it again soon. */
const environmentMilliseconds = 20;
const mostLooks = 10;

interface Processes {
  /** Null if it has ended. */
  runner: ProcessIdentity | null;
  agent: ProcessIdentity | null;
  agentPid: number;
}
interface End extends AgentExit {
  startFault: RecordError | null;
  supervisorLost: boolean;
  outcomeUnknown: string | null;
  endedAt: Date | null;
}

const notExited: End = {
  startFault: null,
  exitCode: null,
  signal: null,
  endedAt: null,
  supervisorLost: false,
  outcomeUnknown: null,
};

const notFollowed: RecordError = {
  code: 'internal_fault',
  detail: 'The agent got the prompt, but how the turn ended could not be read.',
};

class Follower {
  readonly #turn: FollowedTurn;
  readonly #observer: TurnObserver;
  readonly #clock: Clock;
  readonly #reading: TurnReading;
  readonly #agent = deferred<number | null>();
  readonly #left = new AbortController();
  #begun = false;

  constructor(turn: FollowedTurn, observer: TurnObserver, clock: Clock) {
    this.#turn = turn;
    this.#observer = observer;
    this.#clock = clock;
    this.#reading = new TurnReading(turn.adapter, turn.secrets);
  }

  /** The leader of the agent's process group; null if there is none any more. */
  get agent(): Promise<number | null> {
    return this.#agent.promise;
  }

  leave(): void {
    this.#left.abort();
  }

  /** @returns null if the turn was left. Never rejects. */
  async run(spawned: Promise<ProcessIdentity | null> | null): Promise<TurnSigns | null> {
    const { artifacts } = this.#turn;
    const end = await this.#run(spawned).catch((error: Error) => this.#giveUp(error));
    this.#agent.resolve(null);
    if (end === null) return null;
    const stderrTail = readTail(artifacts.stderr, tailBytes);
    const { outcomeUnknown, endedAt, ...exit } = end;
    return { ...this.#reading.signs({ ...exit, stderrTail }), outcomeUnknown, endedAt };
  }

  async #run(spawned: Promise<ProcessIdentity | null> | null): Promise<End | null> {
    const runner = spawned && (await spawned);
    if (runner) this.#observer.spawned(runner);
    const folder = new FolderWatch([this.#turn.artifacts.directory], this.#clock);
    try {
      const patience = spawned ? startMilliseconds : adoptMilliseconds;
      const started = await this.#started(runner, folder, patience);
      if (started === null) return null;
      if ('code' in started) return { ...notExited, startFault: started };
      for (const process of [started.runner, started.agent])
        if (process && process.pid !== runner?.pid) this.#observer.spawned(process);
      this.#observer.handedOver(
        `process ${started.agentPid} was started${this.#turn.place} with the prompt on its standard input`,
      );
      this.#begun = true;
      this.#agent.resolve(started.agent?.pid ?? null);
      return await this.#follow(started, folder);
    } finally {
      folder.close();
    }
  }

  /** Waits until the runner reports the result of its job. @returns null if the turn was left. */
  async #started(
    runner: ProcessIdentity | null,
    folder: FolderWatch,
    milliseconds: number,
  ): Promise<Processes | RecordError | null> {
    const deadline = this.#clock.monotonic() + milliseconds;
    while (!this.#left.signal.aborted) {
      // This check comes before its files are read: everything it wrote before its end is there then.
      const gone = this.#isGone(runner);
      const reported = (await this.#processes()) ?? readStartFault(this.#turn.artifacts);
      if (reported) return reported;
      if (gone) throw new Error('its runner ended before it had started the agent');
      if (this.#clock.monotonic() > deadline) throw new Error('its runner did not start it in time');
      await folder.change(this.#left.signal);
    }
    return null;
  }

  /** Decides whether no runner will start the agent any more. If marks cannot be searched for, only the time limit decides. */
  #isGone(runner: ProcessIdentity | null): boolean {
    if (runner) return !isAlive(runner);
    const { jobFile } = this.#turn;
    return process.platform === 'linux' && !existsSync(jobFile) && processesOfTurn(this.#turn).length === 0;
  }

  async #processes(): Promise<Processes | null> {
    const path = this.#turn.artifacts.process;
    if (!existsSync(path)) return null;
    const { runner_pid, child_pid } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
    if (runner_pid === undefined || child_pid === undefined) throw new Error('its process.json is damaged');
    const runner = await this.#ours(runner_pid);
    return { runner, agent: await this.#agentOf(runner, child_pid), agentPid: child_pid };
  }

  /**
   * Returns the agent's process. A child of our runner is accepted without its mark: on a busy machine it may take long to become
   * the agent's program, and shows no environment meanwhile.
   */
  async #agentOf(runner: ProcessIdentity | null, pid: number): Promise<ProcessIdentity | null> {
    const isChild = runner !== null && linuxProcessStat(pid)?.parent === runner.pid;
    return isChild ? identify(pid) : this.#ours(pid);
  }

  /** Returns the process of that pid, if it is still the one that the turn started: pids are reused. */
  async #ours(pid: number): Promise<ProcessIdentity | null> {
    const now = identify(pid);
    if (now === null) return null;
    const known = this.#turn.processes.find((process) => process.pid === pid);
    if (known) return known.startedAt === now.startedAt ? now : null;
    if (process.platform !== 'linux') return now;
    for (let look = 0; look < mostLooks && showsNoEnvironment(pid); look += 1)
      await this.#clock.sleep(environmentMilliseconds);
    return carriesMark(pid, this.#turn) ? now : null;
  }

  /** @returns null if the turn was left. */
  async #follow({ runner, agent }: Processes, folder: FolderWatch): Promise<End | null> {
    const { turnId, adapter, artifacts } = this.#turn;
    const finished = new AbortController();
    const reading = readOutput(artifacts, adapter, this.#sink(), finished.signal).catch((error: Error) =>
      this.#observer.report(`turn ${turnId}: its output could not be read: ${error.message}`),
    );
    const isOver = (): boolean => existsSync(artifacts.exitCode) || runner === null || !isAlive(runner);
    while (!isOver() && !this.#left.signal.aborted) await folder.change(this.#left.signal);
    if (!isOver()) {
      finished.abort();
      await reading;
      return null;
    }
    // A runner writes `exitcode` last, so a runner that ended without it was killed.
    const supervisorLost = !existsSync(artifacts.exitCode);
    if (supervisorLost) await endLeftovers(this.#turn, agent?.pid ?? null, this.#clock);
    else if (runner) await this.#untilGone(runner);
    finished.abort();
    await reading;
    return { ...notExited, ...(supervisorLost ? {} : readExit(artifacts.exitCode)), supervisorLost };
  }

  #sink(): Parameters<typeof readOutput>[2] {
    return {
      event: (draft, sessionId) => {
        // Events that are read after that belong to the next follower.
        if (this.#left.signal.aborted) return;
        const evidence = this.#reading.take({ ...draft, session_id: sessionId });
        if (evidence) this.#observer.confirmed(evidence);
      },
      row: () => undefined,
      oversizedRow: () => this.#reading.oversizedRow(),
    };
  }

  /** Waits for the end of the runner: when the slot is free, no process of the turn may run, its runner included. */
  async #untilGone(runner: ProcessIdentity): Promise<void> {
    const deadline = this.#clock.monotonic() + leaveMilliseconds;
    while (isAlive(runner) && this.#clock.monotonic() < deadline) await this.#clock.sleep(pollMilliseconds);
  }

  /** Gives the turn up. It must not start later, beside the next one. */
  async #giveUp(error: Error): Promise<End> {
    const { turnId, jobFile, artifacts } = this.#turn;
    try {
      revokeJob(jobFile);
    } catch (fault) {
      this.#observer.report(`${jobFile} could not be removed: ${(fault as Error).message}`);
    }
    await this.#clock.sleep(revokeMilliseconds);
    await endLeftovers(this.#turn, null, this.#clock).catch((fault: Error) =>
      this.#observer.report(fault.message),
    );
    if (this.#begun) {
      this.#observer.report(`turn ${turnId} could not be followed to its end: ${error.message}`);
      return { ...notExited, startFault: notFollowed };
    }
    // The runner opens this file just before it starts the agent: whether the agent was started after that is unknown.
    const outcomeUnknown = !(error instanceof UnwritableArtifacts) && existsSync(artifacts.stdout);
    return {
      ...notExited,
      startFault:
        error instanceof UnwritableArtifacts
          ? { code: 'internal_fault', detail: error.message }
          : { code: 'agent_missing', detail: `The agent was not started: ${error.message}.` },
      outcomeUnknown: outcomeUnknown
        ? 'the runner of the turn never said whether it had started the agent'
        : null,
    };
  }
}
