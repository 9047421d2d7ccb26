import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/foundation/clock.js';
import { newTurnId } from '../../src/foundation/ids.js';
import { secretsOf } from '../../src/foundation/text.js';
import { type FollowedTurn, followTurn } from '../../src/run/follow-turn.js';
import type { RunningTurn, TurnObserver } from '../../src/run/running-turn.js';
import { spawnTurn, type TurnHost } from '../../src/run/turn-host.js';
import { jobFileOf, type TurnJob } from '../../src/run/turn-job.js';
import { sessionPaths, turnArtifacts } from '../../src/session/session-paths.js';
import { toolAdapter } from '../../src/tools/tool-registry.js';
import { standinProgram } from './test-session.js';

/** The attach identity of the session that every turn here belongs to. */
export const session = 'a-session';

/** A turn of the stand-in agent, or of another program, with all its files below a folder. */
export interface PlainJob {
  job: TurnJob;
  jobFile: string;
  followed: FollowedTurn;
}

export function jobIn(folder: string, change: Partial<TurnJob> = {}): PlainJob {
  const paths = sessionPaths(folder);
  // Processes are looked for by it on the whole machine, where other tests run too.
  const turnId = change.turnId ?? newTurnId();
  const job: TurnJob = {
    session,
    turnId,
    turnIndex: 0,
    tool: 'claude',
    executable: standinProgram,
    args: ['-p', '--output-format', 'stream-json', '--verbose'],
    workingDirectory: folder,
    environment: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      HOUMAO_STANDIN_LEDGER: join(folder, 'ledger'),
    },
    stdin: 'Hello',
    files: {},
    artifacts: turnArtifacts(paths, turnId),
    ...change,
  };
  const jobFile = jobFileOf(paths.run, turnId);
  return {
    job,
    jobFile,
    followed: {
      session,
      turnId,
      jobFile,
      artifacts: job.artifacts,
      place: '',
      processes: [],
      adapter: toolAdapter('claude'),
      secrets: secretsOf(job.environment),
    },
  };
}

export function startJob(
  { job, jobFile, followed }: PlainJob,
  host: TurnHost,
  observer: TurnObserver,
  clock: Clock = systemClock,
): RunningTurn {
  const spawned = spawnTurn(host, job, jobFile, observer.report);
  return followTurn({ ...followed, place: host.place }, spawned, observer, clock);
}

/** An agent written in JavaScript. @returns its path. */
export function agentScript(folder: string, source: string): string {
  const path = join(folder, 'agent.cjs');
  writeFileSync(path, `#!/usr/bin/env node\n${source}\n`, { mode: 0o755 });
  return path;
}
