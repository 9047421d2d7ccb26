import { existsSync, readFileSync, watch } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { deferred } from '../foundation/deferred.js';
import { identify, isAlive, type ProcessIdentity } from '../foundation/process-identity.js';
import { redact, secretsOf } from '../foundation/redact.js';
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
import { TurnReading } from './turn-reading.js';

const runner = fileURLToPath(new URL('./runner-main.js', import.meta.url));
/** How long the pane may take to start the runner and the runner to start the agent. */
const startMilliseconds = 20_000;
const pollMilliseconds = 250;

/** Runs turns in the agent's tmux pane, where its operator can watch, and follows them by their files. */
export function startInTmux(
  job: TurnJob,
  tmuxSession: string,
  runDirectory: string,
  observer: TurnObserver,
  clock: Clock,
): RunningTurn {
  const reading = new TurnReading(toolAdapter(job.tool));
  const agent = deferred<number | null>();
  const run = async (): Promise<ProcessEnd & { supervisorLost: boolean }> => {
    prepareArtifacts(job.artifacts);
    const jobFile = join(runDirectory, `job-${job.turnId}.json`);
    writeFileAtomic(jobFile, JSON.stringify(job), { mode: 0o600 });
    const command = `${quote(process.execPath)} ${quote(runner)} ${quote(jobFile)}; exec "\${SHELL:-/bin/sh}"`;
    await respawnAgentPane(tmuxSession, job.workingDirectory, `exec sh -c ${quote(command)}`);
    const processes = await startedProcesses(job.artifacts, clock);
    if (!processes) return noStart(job);
    for (const process of [processes.runner, processes.agent]) if (process) observer.spawned(process);
    observer.handedOver(
      `process ${processes.agentPid} was started in tmux session ${tmuxSession} with the prompt on its standard input`,
    );
    agent.resolve(processes.agentPid);
    return follow(job, processes, reading, observer, clock);
  };
  const ended = run()
    .catch((error: Error) => ({ ...noStart(job, error.message), supervisorLost: false }))
    .then(async (end) => {
      agent.resolve(null);
      const stderrTail = redact(readTail(job.artifacts.stderr, 4096), secretsOf(job.environment));
      const signs = reading.signs({ ...end, stderrTail });
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

const noStart = (
  job: TurnJob,
  why = 'the tmux pane did not start it in time',
): ProcessEnd & { supervisorLost: boolean } => ({
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
): Promise<ProcessEnd & { supervisorLost: boolean }> {
  const finished = new AbortController();
  const take = (event: CanonicalEvent): void => {
    if (event.provider_event_type === 'oversized_row') reading.oversizedRow();
    const news = reading.take(event);
    if (news.sessionId) observer.sessionSeen(news.sessionId);
    if (news.confirmed) observer.confirmed(news.confirmed);
  };
  while (!existsSync(job.artifacts.canonicalEvents) && !existsSync(job.artifacts.exitCode)) {
    await changeIn(job.artifacts.directory, clock);
  }
  const following = followLines(
    job.artifacts.canonicalEvents,
    { line: (text) => take(JSON.parse(text) as CanonicalEvent), oversized: () => reading.oversizedRow() },
    finished.signal,
  );
  while (!existsSync(job.artifacts.exitCode) && (processes.runner === null || isAlive(processes.runner))) {
    await changeIn(job.artifacts.directory, clock);
  }
  const supervisorLost = !existsSync(job.artifacts.exitCode);
  if (supervisorLost) await endLeftovers(job.turnId, processes.agentPid, clock);
  finished.abort();
  await following;
  return {
    ...(supervisorLost ? { startFault: null, exitCode: null, signal: null } : readExit(job.artifacts)),
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
