import { expect, test } from 'vitest';
import { deferred, OneAtATime } from '../../../src/foundation/concurrency.js';

test('the next begins when the one before is over, also when that failed', async () => {
  const turns = new OneAtATime();
  const steps: string[] = [];
  const first = deferred<void>();
  const one = turns.run(async () => {
    steps.push('one begins');
    await first.promise;
    throw new Error('one failed');
  });
  const two = turns.run(async () => {
    steps.push('two begins');
    return 2;
  });
  await Promise.resolve();
  expect(steps).toEqual(['one begins']);
  first.resolve();
  await expect(one).rejects.toThrow('one failed');
  expect(await two).toBe(2);
  expect(steps).toEqual(['one begins', 'two begins']);
});
