import { existsSync, readFileSync } from 'node:fs';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { expectedLines } from '../../e2e/recovery/evidence.js';

// biome-ignore lint/suspicious/noExplicitAny: each kind has fields of its own.
type Line = any;

/**
 * The lines that `events.jsonl` must have so far, by the events in the database: an answer over HTTP comes after its event is on
 * disk there, and a moment before its line.
 */
export const readEvents = (paths: SessionPaths): Line[] =>
  existsSync(paths.queue) ? expectedLines(paths).events.map((line) => JSON.parse(line) as Line) : [];

/** Requests that were accepted so far. */
export const acceptedIn = (paths: SessionPaths): string[] =>
  readEvents(paths)
    .filter(({ kind }) => kind === 'accepted')
    .map(({ request_id }) => request_id);

/** The notes of the stand-in agent: each prompt it took, and each end. */
export const readLedger = (path: string): Line[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Line)
    : [];
