import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { managerProgram } from './test-session.js';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * For a `houmao-mgr` that is installed, and whose agents and registry are all in that folder. The settings of the person who runs the
 * tests are not for it.
 */
export function managerEnvironment(folder: string): NodeJS.ProcessEnv {
  const { XDG_CONFIG_HOME: _config, HOUMAO_CONTEXT: _context, ...environment } = process.env;
  return {
    ...environment,
    PATH: [installed(folder), environment.PATH].join(delimiter),
    HOME: folder,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
  };
}

/** @returns the folder of PATH that has it. */
function installed(folder: string): string {
  const programs = join(folder, '.programs');
  mkdirSync(programs, { recursive: true });
  const link = join(programs, 'houmao-mgr');
  if (!existsSync(link)) symlinkSync(managerProgram, link);
  return programs;
}

/** A `houmao-mgr` that runs. */
export interface RunningManager {
  readonly child: ChildProcess;
  /** Resolves with the text once standard error holds what is looked for; rejects when the program ends without it. */
  saying(pattern: RegExp): Promise<string>;
  readonly ran: Promise<Ran>;
}

/** Called by its link where it is installed, as a shell does. */
function scriptIn({ HOME = '' }: NodeJS.ProcessEnv): string {
  const link = join(HOME, '.programs', 'houmao-mgr');
  return existsSync(link) ? link : managerProgram;
}

/** Starts `houmao-mgr` as an operator would. @param input what it reads; undefined keeps its standard input open. */
export function startManager(
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  input?: string,
): RunningManager {
  const child = spawn(process.execPath, [scriptIn(environment), ...args], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (input !== undefined) child.stdin.end(input);
  const ran = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  const saying = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => pattern.test(stderr) && resolve(stderr);
      child.stderr.on('data', look);
      child.once('close', () => reject(new Error(`it ended without ${pattern}: ${stderr}`)));
      look();
    });
  return { child, saying, ran };
}

/** Runs `houmao-mgr` to its end. @param input what it reads from standard input. */
export const manage = (environment: NodeJS.ProcessEnv, args: readonly string[], input = ''): Promise<Ran> =>
  startManager(environment, args, input).ran;
