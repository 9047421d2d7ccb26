export const stillEverySeconds: number;
export interface InstallProgress {
  heard(text: string): void;
  still(seconds: number): void;
}
export function installProgress(say: (line: string) => void): InstallProgress;
export function installFailure(log: string, file: string): string;
export function npmEnvironment(environment: NodeJS.ProcessEnv, node: string): NodeJS.ProcessEnv;
