import { UnusableFile } from '../../foundation/unusable-file.js';
import type { Inspection } from './agent-target.js';

/** What is wrong with a session, in words for callers: they do not name paths. */
export const sessionTrouble = (error: unknown): string =>
  error instanceof UnusableFile
    ? `The session cannot be read: ${error.reason}${error.remedy === null ? '' : `; ${error.remedy}`}.`
    : 'The session cannot be read.';

export const notConnected = (detail: string): Inspection => ({
  connected: false,
  instanceId: null,
  surface: 'unknown',
  reasons: [],
  acceptsPrompts: false,
  detail,
});
