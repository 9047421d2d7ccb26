export const stillEverySeconds: number;
export interface InstallProgress {
  heard(text: string): void;
  still(seconds: number): void;
}
export function installProgress(say: (line: string) => void): InstallProgress;
export function installFailure(log: string, file: string): string;
