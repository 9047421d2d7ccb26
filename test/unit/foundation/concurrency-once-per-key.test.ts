import { expect, test } from 'vitest';
import { deferred, OncePerKey } from '../../../src/foundation/concurrency.js';

test('calls with a key that come while its first is under way share its answer, and the work is done once', async () => {
  const calls = new OncePerKey<string>();
  const { promise, resolve } = deferred<void>();
  let begun = 0;
  const work = async () => {
    begun += 1;
    await promise;
    return `answer ${begun}`;
  };
  const first = calls.run('k', 'a', work);
  const second = calls.run('k', 'a', work);
  const other = calls.run('l', 'a', work);
  expect(await calls.run('k', 'b', work)).toBeNull();
  resolve();
  expect(await first).toEqual({ answer: 'answer 2', shared: false });
  expect(await second).toEqual({ answer: 'answer 2', shared: true });
  expect(await other).toEqual({ answer: 'answer 2', shared: false });
  expect(begun).toBe(2);
  expect(await calls.run('k', 'b', work)).toEqual({ answer: 'answer 3', shared: false });
});

test('share its error, too, and the next call tries again', async () => {
  const calls = new OncePerKey<string>();
  const failing = () => Promise.reject(new Error('disk'));
  const both = [calls.run('k', 'a', failing), calls.run('k', 'a', failing)];
  for (const one of both) await expect(one).rejects.toThrow('disk');
  expect(await calls.run('k', 'b', async () => 'done')).toEqual({ answer: 'done', shared: false });
});
