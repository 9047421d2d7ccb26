import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Of the repository. This is bundled into dist/torture/, so its own place says little. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const longestMilliseconds = 120_000;

const running = new Set<ChildProcess>();

/** Kills the programs that run: they would start something more. */
export function endPrograms(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Runs a program of ours to its end. */
export function runProgram(
  name: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(root, 'dist', 'programs', `${name}.js`), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestMilliseconds,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
