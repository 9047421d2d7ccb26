import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../../dist/programs/standin-agent.js', import.meta.url));
export const STREAM = ['-p', '--verbose', '--output-format', 'stream-json'];

/** Own home, working directory and ledger, so that tests share nothing; removed after the test. */
export interface StandinWorld {
  home: string;
  cwd: string;
  ledger: string;
}

export function newWorld(): StandinWorld {
  const folder = () => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'standin-')));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };
  const home = folder();
  return { home, cwd: folder(), ledger: join(home, 'ledger.jsonl') };
}

export function ledgerOf(world: StandinWorld): Record<string, unknown>[] {
  return rowsOf(readFileSync(world.ledger, 'utf8'));
}

// biome-ignore lint/suspicious/noExplicitAny: rows are read at will in assertions
export type AnyRow = Record<string, any>;

export function rowsOf(text: string): AnyRow[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
  /** When it printed something, and when it ended, in ms after the start. */
  firstMs: number;
  exitMs: number;
}

export interface Running {
  child: ChildProcessWithoutNullStreams;
  /** Resolves once stdout holds this text. */
  printed(text: string): Promise<void>;
  finished: Promise<Finished>;
}

export interface StandinCall {
  world: StandinWorld;
  args?: readonly string[];
  prompt?: string;
  env?: Record<string, string>;
}

export function startStandin({ world, args = STREAM, prompt = '', env = {} }: StandinCall): Running {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    cwd: world.cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: world.home,
      CLAUDE_CONFIG_DIR: world.home,
      HOUMAO_STANDIN_LEDGER: world.ledger,
      ...env,
    },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(prompt);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const waiting = new Set<() => void>();
  let firstMs = Number.POSITIVE_INFINITY;
  child.stdout.on('data', (chunk: Buffer) => {
    firstMs = Math.min(firstMs, performance.now() - startedAt);
    stdout.push(chunk);
    for (const check of waiting) check();
  });
  child.stderr.on('data', (chunk: Buffer) => void stderr.push(chunk));
  let exitMs = 0;
  child.on('exit', () => {
    exitMs = performance.now() - startedAt;
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString('utf8'),
        firstMs,
        exitMs,
      }),
    );
  });
  const printed = (text: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!Buffer.concat(stdout).includes(text)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { child, printed, finished };
}

export function runStandin(call: StandinCall): Promise<Finished> {
  return startStandin(call).finished;
}

/** Runs a turn and reads its rows. */
export async function turnRows(
  call: StandinCall,
): Promise<{ rows: AnyRow[]; result: AnyRow; done: Finished }> {
  const done = await runStandin(call);
  const rows = rowsOf(done.stdout.toString('utf8'));
  const result = rows.find((row) => row.type === 'result') ?? {};
  return { rows, result, done };
}
