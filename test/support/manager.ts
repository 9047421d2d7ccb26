import { spawn } from 'node:child_process';
import { managerProgram } from './test-session.js';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `houmao-mgr` as an operator would. @param input what it reads from standard input. */
export function manage(environment: NodeJS.ProcessEnv, args: readonly string[], input = ''): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [managerProgram, ...args], {
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
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}
