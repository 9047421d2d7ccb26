import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { markVariables } from '../foundation/marked-processes.js';
import type { TurnArtifacts } from '../session/session-paths.js';
import type { RecordError } from './record-error.js';
import type { TurnJob } from './turn-job.js';

/**
 * Opens the agent's three standard files and starts its process. Its output goes straight to them, so that neither a grandchild
 * that keeps them open nor the end of the reading process can block it. Closes the files afterwards; the child has its own
 * copies.
 */
export function startAgent(job: TurnJob): ChildProcess {
  const files = openFiles(job);
  try {
    return spawn(job.executable, [...job.args], {
      cwd: job.workingDirectory,
      env: { ...job.environment, ...markVariables(job) },
      // The agent gets its own session and process group: signals reach all of it, and nothing else.
      detached: true,
      stdio: files,
    });
  } finally {
    for (const descriptor of files) closeSync(descriptor);
  }
}

/** The files of a turn cannot be written; the message says why. */
export class UnwritableArtifacts extends Error {
  constructor(cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    super(`The files of the turn could not be written (${code ?? message}).`);
  }
}

/** @throws {UnwritableArtifacts} */
function openFiles(job: TurnJob): number[] {
  const files: number[] = [];
  try {
    for (const [path, content] of Object.entries(job.files)) writeFileSync(path, content, { mode: 0o600 });
    files.push(openPrompt(job));
    files.push(openSync(job.artifacts.stdout, 'w', 0o600));
    files.push(openSync(job.artifacts.stderr, 'w', 0o600));
    return files;
  } catch (error) {
    for (const descriptor of files) closeSync(descriptor);
    throw new UnwritableArtifacts(error);
  }
}

/** Opens the prompt as a file without a name: no other process can open it, and nothing is left of it afterwards. */
function openPrompt(job: TurnJob): number {
  const path = join(job.artifacts.directory, 'prompt.tmp');
  writeFileSync(path, job.stdin, { mode: 0o600 });
  const descriptor = openSync(path, 'r');
  unlinkSync(path);
  return descriptor;
}

/** Describes why an agent could not be started, for the record of its turn. */
export function startFaultOf(job: TurnJob, error: NodeJS.ErrnoException): RecordError {
  if (error instanceof UnwritableArtifacts) return { code: 'internal_fault', detail: error.message };
  const detail = !existsSync(job.workingDirectory)
    ? 'The working directory of the agent does not exist.'
    : error.code === 'ENOENT'
      ? `The program ${basename(job.executable)} was not found; install it or launch the agent with --executable.`
      : `The program ${basename(job.executable)} could not be started (${error.code ?? 'unknown'}).`;
  return { code: 'agent_missing', detail };
}

/** Writes the fault for the followers of the turn; the file takes the place of `process.json`. */
export function writeStartFault(artifacts: TurnArtifacts, fault: RecordError): void {
  writeFileAtomic(artifacts.startFault, JSON.stringify(fault));
}

/** @returns null if none was written. */
export function readStartFault(artifacts: TurnArtifacts): RecordError | null {
  if (!existsSync(artifacts.startFault)) return null;
  return JSON.parse(readFileSync(artifacts.startFault, 'utf8')) as RecordError;
}
