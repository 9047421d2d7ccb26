import { existsSync, readFileSync } from 'node:fs';
import type { SessionPaths } from '../../../src/session/session-paths.js';

// biome-ignore lint/suspicious/noExplicitAny: each kind has fields of its own.
type Line = any;

/** What `events.jsonl` tells so far; an answer over HTTP comes after its event. */
export const readEvents = (paths: SessionPaths): Line[] =>
  existsSync(paths.events)
    ? readFileSync(paths.events, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Line)
    : [];

/** Requests that were accepted so far. */
export const acceptedIn = (paths: SessionPaths): string[] =>
  readEvents(paths)
    .filter(({ kind }) => kind === 'accepted')
    .map(({ request_id }) => request_id);

/** What the stand-in agent noted: each prompt it took, and each end. */
export const readLedger = (path: string): Line[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Line)
    : [];
