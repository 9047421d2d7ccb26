/** What is known of a lock file whose holder wrote nothing but the line of the format. */
export interface PlainLock {
  line: string;
  ageMilliseconds: number;
}

/** No work under a lock takes so long, not even the repair of a very large root. */
const oldMilliseconds = 10 * 60_000;

/**
 * Whether the holder of a lock is gone that gives no more evidence than its pid. Age alone proves nothing, and neither does
 * a pid that is unknown here, for the holder may run in another container: it takes both.
 */
export function isLeftBehind(
  { line, ageMilliseconds }: PlainLock,
  isRunning: (pid: number) => boolean,
): boolean {
  const pid = /^pid=(\d{1,10}) /.exec(line)?.[1];
  return pid !== undefined && ageMilliseconds > oldMilliseconds && !isRunning(Number(pid));
}
