/** What is known of a lock file whose holder wrote nothing but the line of the format. */
export interface PlainLock {
  line: string;
  ageMilliseconds: number;
}

/** No work under a lock takes so long, not even the repair of a very large root; and ours tell every minute that they go on. */
const oldMilliseconds = 10 * 60_000;

/**
 * Whether the holder of a lock is gone that gives no more evidence than its pid. Age alone proves nothing, and neither does
 * a pid that is unknown here, for the holder may run in another container: it takes both.
 */
export function isLeftBehind(
  { line, ageMilliseconds }: PlainLock,
  isNobodys: (pid: number) => boolean,
): boolean {
  const pid = /^pid=(\d{1,10}) /.exec(line)?.[1];
  return pid !== undefined && ageMilliseconds > oldMilliseconds && isNobodys(Number(pid));
}

/** What is known of the holder of a lock of ours. */
export interface KnownHolder {
  /** Whether its pid means what it means here: the same boot of one machine, and the same container of it. */
  isHere: boolean;
  hasEnded: () => boolean;
  isAlive: () => boolean;
  /** Since it last told that it goes on. */
  silentMilliseconds: number;
}

/**
 * Whether a holder is gone. Who can be judged from here is gone when it has ended; of others, such as one of an earlier boot,
 * of another container or of another user whose processes are hidden, ten minutes without a word are the only evidence.
 */
export const isGone = ({ isHere, hasEnded, isAlive, silentMilliseconds }: KnownHolder): boolean =>
  (isHere && hasEnded()) || (silentMilliseconds > oldMilliseconds && !isAlive());
