import { readFileSync, readlinkSync } from 'node:fs';

/** Where and with what a process was started. */
export interface ProcessSurroundings {
  workingDirectory: string;
  environment: Readonly<Record<string, string>>;
}

/** Of a live process of the same user. Linux only; elsewhere, and where it is gone or somebody else's, null. */
export function surroundingsOf(pid: number): ProcessSurroundings | null {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    const environment = Object.fromEntries(
      pairs.map((pair) => {
        const end = pair.indexOf('=');
        return end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
      }),
    );
    return { workingDirectory: readlinkSync(`/proc/${pid}/cwd`), environment };
  } catch {
    return null;
  }
}
