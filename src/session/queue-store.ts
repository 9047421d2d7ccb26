import type { StoreName } from '../storage/fault-words.js';
import type { SessionPaths } from './session-paths.js';

/** The gateway's own database, `queue.sqlite`, as its faults name it. */
export const queueStore = (paths: Pick<SessionPaths, 'queue'>): StoreName => ({
  path: paths.queue,
  thing: 'queue',
  program: 'gateway',
});
