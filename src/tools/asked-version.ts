import { execFile } from 'node:child_process';

/** As long as somebody waits for it. A tool that starts on a busy machine may need longer. */
const answerMilliseconds = 10_000;

/** What a tool says of its version, such as `2.1.330 (Claude Code)`; null when it says nothing. Runs it once. */
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
