import { readFileSync, readlinkSync } from 'node:fs';

/** Where and with what a process was started. */
export interface ProcessSurroundings {
  workingDirectory: string;
  /** The file that it runs, as it was when it started: it may have been removed since. */
  executable: string;
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
    const executable = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
    return { workingDirectory: readlinkSync(`/proc/${pid}/cwd`), executable, environment };
  } catch {
    return null;
  }
}
