import { describe, test } from 'vitest';

const needsMoon = { skip: true, meta: { needs: 'the moon' } };

test('says why it is left out', needsMoon, () => undefined);

describe('a block', needsMoon, () => {
  test('says it for its tests', () => undefined);
  test('one and all', () => undefined);
});

test('runs', () => undefined);
