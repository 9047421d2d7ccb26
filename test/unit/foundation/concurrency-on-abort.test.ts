import { expect, it } from 'vitest';
import { onAbort } from '../../../src/foundation/concurrency.js';

it('acts when the signal aborts, and not once it was let go', () => {
  const stopping = new AbortController();
  const done: string[] = [];
  onAbort(stopping.signal, () => done.push('held'));
  onAbort(stopping.signal, () => done.push('let go'))();
  expect(done).toEqual([]);
  stopping.abort();
  expect(done).toEqual(['held']);
});

it('acts at once where the signal has aborted', () => {
  const done: string[] = [];
  onAbort(AbortSignal.abort(), () => done.push('done'));
  expect(done).toEqual(['done']);
});
