import { expect, test } from 'vitest';
import { absoluteVariable, BadEnvironment } from '../../../src/foundation/environment.js';

test('a variable that is empty is as if it was not there; a relative path is refused', () => {
  const read = (value: string | undefined) => absoluteVariable({ FOLDER: value }, 'FOLDER');
  expect(read(undefined)).toBeNull();
  expect(read('')).toBeNull();
  expect(read('/srv/houmao')).toBe('/srv/houmao');
  expect(() => read('houmao')).toThrow(BadEnvironment);
});
