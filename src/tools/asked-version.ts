import { execFile } from 'node:child_process';

const answerMilliseconds = 10_000;

/** What a tool says of its version, such as `2.1.330 (Claude Code)`; null when it says nothing. Runs it once. */
export function askedVersion(
  executable: string,
  environment: Readonly<Record<string, string>>,
): Promise<string | null> {
  const options = { env: environment, timeout: answerMilliseconds, encoding: 'utf8' } as const;
  return new Promise((resolve) => {
    execFile(executable, ['--version'], options, (error, stdout) => {
      const [line = ''] = stdout.trim().split('\n');
      resolve(error || line === '' ? null : line.slice(0, 200));
    });
  });
}
