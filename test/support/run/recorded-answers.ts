import { relative } from 'node:path';
import { expect, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where answers are written down; null in a run whose answers nobody compares. */
    answersFolder: string | null;
  }
}

/** Where the answers that this test file gets are written down. What other tests provoke holds nothing of the contract. */
export function answersFolder(): string | null {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  // A run with another configuration provides nothing.
  return file.startsWith('test/contract/') ? (inject('answersFolder') ?? null) : null;
}

/** Flags of Node with which a program of ours writes down what it answers. Flags, since what it starts would inherit a variable. */
export function recordingFlags(): readonly string[] {
  const folder = answersFolder();
  if (folder === null) return [];
  const recorder = new URL('record-answers.mjs', import.meta.url);
  recorder.searchParams.set('folder', folder);
  return ['--import', recorder.href];
}
