import { execFile } from 'node:child_process';

/** The time limit for an answer, because a caller waits for it. A tool that starts on a busy machine may take longer. */
const answerMilliseconds = 10_000;

/** Runs a tool once and returns its version line, such as `2.1.330 (Claude Code)`; null if it gives none. */
export function askedVersion(
  executable: string,
  environment: Readonly<Record<string, string>>,
  milliseconds: number = answerMilliseconds,
): Promise<string | null> {
  const options = { env: environment, timeout: milliseconds, encoding: 'utf8' } as const;
  return new Promise((resolve) => {
    execFile(executable, ['--version'], options, (error, stdout) => {
      const [line = ''] = stdout.trim().split('\n');
      resolve(error || line === '' ? null : line.slice(0, 200));
    });
  });
}
