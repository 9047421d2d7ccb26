import type { Clock } from '../foundation/clock.js';
import { hasSurelyEnded, identify } from '../foundation/processes.js';

/** A program of the demo that runs apart from it. */
export interface WatchedProgram {
  /** The subject of a sentence such as "The server has ended". */
  name: string;
  /** The place that shows why it ended, such as "see …". */
  why: string;
  hasEnded(): Promise<boolean>;
}

const pauseMilliseconds = 1000;

/** Describes the program that runs under this pid now. */
export function watchedProcess(name: string, why: string, pid: number): WatchedProgram {
  const process = identify(pid);
  return { name, why, hasEnded: async () => process === null || hasSurelyEnded(process) };
}

/**
 * Reports each program that has ended, once, until none is left or `enough` aborts.
 * @returns whether all of them have ended.
 */
export async function watchPrograms(
  programs: readonly WatchedProgram[],
  {
    clock,
    tell: report,
    enough,
  }: { clock: Clock; tell: (program: WatchedProgram) => void; enough: AbortSignal },
): Promise<boolean> {
  let running = [...programs];
  while (running.length > 0 && !enough.aborted) {
    const looks = await Promise.all(
      running.map(async (program) => ({ program, ended: await program.hasEnded() })),
    );
    if (enough.aborted) return false;
    for (const { program, ended } of looks) if (ended) report(program);
    running = looks.filter(({ ended }) => !ended).map(({ program }) => program);
    await clock.sleep(running.length === 0 ? 0 : pauseMilliseconds, enough);
  }
  return running.length === 0;
}
