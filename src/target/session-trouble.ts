import { UnusableFile } from '../session/file-schema.js';
import type { Inspection } from './agent-target.js';

/** What is wrong with a session, for callers: not where its files lie (decision 43). */
export const sessionTrouble = (error: unknown): string =>
  error instanceof UnusableFile
    ? `The session cannot be read: ${error.reason}.`
    : 'The session cannot be read.';

export const notConnected = (detail: string): Inspection => ({
  connected: false,
  instanceId: null,
  surface: 'unknown',
  acceptsPrompts: false,
  detail,
});
