import { existsSync, readFileSync, rmSync, watch } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { deferred } from '../foundation/deferred.js';
import { identify, isAlive, type ProcessIdentity } from '../foundation/process-identity.js';
import { programFile } from '../foundation/programs.js';
import { secretsOf } from '../foundation/redact.js';
import { signalGroup } from '../foundation/signals.js';
import { prepareArtifacts, type TurnArtifacts } from '../session/turn-artifacts.js';
import { respawnAgentPane, setEnvironment } from '../terminal/tmux.js';
import type { CanonicalEvent } from '../tools/canonical-event.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { readTail } from './file-tail.js';
import { followLines } from './line-follower.js';
import type { RunningTurn, TurnObserver } from './running-turn.js';
import { stopGroup } from './stop-group.js';
import { endLeftovers, type ProcessEnd, type TurnJob } from './supervisor.js';
import { TurnReading, tailBytes } from './turn-reading.js';

const runner = programFile('turn-runner');
/** How long the pane may take to start the runner and the runner to start the agent. */
const startMilliseconds = 20_000;
const pollMilliseconds = 250;
/** Between taking the job away and looking for what came of it: a runner that has just read it is starting the agent. */
const revokeMilliseconds = 200;

type TmuxEnd = ProcessEnd & { supervisorLost: boolean };

/** Where the job of a turn waits for its runner. */
export const jobFileOf = (runDirectory: string, turnId: string): string =>
  join(runDirectory, `job-${turnId}.json`);

/** Runs turns in the agent's tmux pane, where its operator can watch, and follows them by their files. */
export function startInTmux(
  job: TurnJob,
  tmuxSession: string,
  runDirectory: string,
  observer: TurnObserver,
  clock: Clock,
): RunningTurn {
  const reading = new TurnReading(toolAdapter(job.tool), secretsOf(job.environment));
  const agent = deferred<number | null>();
  const jobFile = jobFileOf(runDirectory, job.turnId);
  const run = async (): Promise<TmuxEnd> => {
    prepareArtifacts(job.artifacts);
    writeFileAtomic(jobFile, JSON.stringify(job), { mode: 0o600 });
    const command = `${quote(process.execPath)} ${quote(runner)} ${quote(jobFile)}; exec "\${SHELL:-/bin/sh}"`;
    await respawnAgentPane(tmuxSession, job.workingDirectory, `exec sh -c ${quote(command)}`);
    const processes = await startedProcesses(job.artifacts, clock);
    if (!processes) throw new Error('the tmux pane did not start it in time');
    for (const process of [processes.runner, processes.agent]) if (process) observer.spawned(process);
    observer.handedOver(
      `process ${processes.agentPid} was started in tmux session ${tmuxSession} with the prompt on its standard input`,
    );
    agent.resolve(processes.agentPid);
    return follow(job, processes, reading, observer, clock);
  };
  /** Nothing of a turn that is given up may start later, beside the next one. */
  const giveUp = async (error: Error): Promise<TmuxEnd> => {
    rmSync(jobFile, { force: true });
    await clock.sleep(revokeMilliseconds);
    await endLeftovers(job.turnId, null, clock).catch((fault: Error) => observer.fault(fault.message));
    return noStart(job, error.message);
  };
  const ended = run()
    .catch(giveUp)
    .then(async (end) => {
      agent.resolve(null);
      const signs = reading.signs({ ...end, stderrTail: readTail(job.artifacts.stderr, tailBytes) });
      // Only published for people and tools in the session; a closed session loses nothing by it.
      if (signs.sessionId)
        await setEnvironment(tmuxSession, 'HOUMAO_RESUME_ID', signs.sessionId).catch(() => undefined);
      return signs;
    });
  return {
    ended,
    stop: async (ladder) => {
      const pid = await agent.promise;
      return stopGroup((signal) => pid !== null && signalGroup(pid, signal), ended, ladder, clock);
    },
  };
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const noStart = (job: TurnJob, why: string): TmuxEnd => ({
  startFault: { code: 'agent_missing', detail: `The program ${job.executable} was not started: ${why}.` },
  exitCode: null,
  signal: null,
  supervisorLost: false,
});

interface Started {
  runner: ProcessIdentity | null;
  agent: ProcessIdentity | null;
  agentPid: number;
}

/** Waits for `process.json`. */
async function startedProcesses(files: TurnArtifacts, clock: Clock): Promise<Started | null> {
  const deadline = clock.monotonic() + startMilliseconds;
  while (!existsSync(files.process)) {
    if (clock.monotonic() > deadline) return null;
    await changeIn(files.directory, clock);
  }
  const { runner_pid, child_pid } = JSON.parse(readFileSync(files.process, 'utf8')) as {
    runner_pid: number;
    child_pid: number;
  };
  return { runner: identify(runner_pid), agent: identify(child_pid), agentPid: child_pid };
}

async function follow(
  job: TurnJob,
  processes: Started,
  reading: TurnReading,
  observer: TurnObserver,
  clock: Clock,
): Promise<TmuxEnd> {
  const { artifacts } = job;
  const finished = new AbortController();
  const take = (event: CanonicalEvent): void => {
    if (event.provider_event_type === 'oversized_row') reading.oversizedRow();
    const news = reading.take(event);
    if (news.sessionId) observer.sessionSeen(news.sessionId);
    if (news.confirmed) observer.confirmed(news.confirmed);
  };
  // A runner writes `exitcode` last, so one that is gone without it was killed.
  const over = (): boolean =>
    existsSync(artifacts.exitCode) || processes.runner === null || !isAlive(processes.runner);
  while (!existsSync(artifacts.canonicalEvents) && !over()) await changeIn(artifacts.directory, clock);
  const following = existsSync(artifacts.canonicalEvents)
    ? followLines(
        artifacts.canonicalEvents,
        { line: (text) => take(JSON.parse(text) as CanonicalEvent), oversized: () => reading.oversizedRow() },
        finished.signal,
      )
    : Promise.resolve();
  const read = following.catch((error: Error) =>
    observer.fault(`turn ${job.turnId}: its events could not be read: ${error.message}`),
  );
  while (!over()) await changeIn(artifacts.directory, clock);
  const supervisorLost = !existsSync(artifacts.exitCode);
  if (supervisorLost) await endLeftovers(job.turnId, processes.agentPid, clock);
  finished.abort();
  await read;
  return {
    ...(supervisorLost ? { startFault: null, exitCode: null, signal: null } : readExit(artifacts)),
    supervisorLost,
  };
}

function readExit(files: TurnArtifacts): ProcessEnd {
  const number = Number(readFileSync(files.exitCode, 'utf8').trim());
  if (number >= 0) return { startFault: null, exitCode: number, signal: null };
  return { startFault: null, exitCode: null, signal: signalName(-number) };
}

function signalName(number: number): NodeJS.Signals {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  return (entry?.[0] ?? 'SIGKILL') as NodeJS.Signals;
}

/** Waits until something changes in a folder, or for a poll interval when the file system does not say. */
async function changeIn(directory: string, clock: Clock): Promise<void> {
  const changed = new AbortController();
  const watcher = watch(directory, () => changed.abort());
  watcher.on('error', () => undefined);
  await clock.sleep(pollMilliseconds, changed.signal);
  watcher.close();
}
