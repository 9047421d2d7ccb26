import { beforeAll, test } from 'vitest';

beforeAll(() => {
  throw new Error('of the hook');
});

test('is not reached', () => undefined);
