import type { StoreName } from '../storage/fault-words.js';
import type { SessionPaths } from './session-paths.js';

/** The database of a session, `queue.sqlite`, as faults name it to the program that owns the session. */
export const queueStore = (
  paths: Pick<SessionPaths, 'queue'>,
  program: StoreName['program'] = 'gateway',
): StoreName => ({
  path: paths.queue,
  thing: 'queue',
  program,
});
