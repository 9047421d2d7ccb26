import { test } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();

test('leaves nothing', ({ expect }) => {
  expect(folder).toContain('e2e-run-planted-nothing');
});
