import { readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jobFileOf, revokeJob } from '../../../src/run/turn-job.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test('a revoked job is gone with what a killed writer left of it, and no other job is', () => {
  const folder = temporaryFolder();
  const path = jobFileOf(folder, 'turn-1');
  for (const file of [
    path,
    `${path}.2641153e.tmp`,
    jobFileOf(folder, 'turn-1-2'),
    `${jobFileOf(folder, 'turn-1-2')}.1.tmp`,
  ])
    writeFileSync(file, '{}');
  revokeJob(path);
  revokeJob(path);
  expect(readdirSync(folder).sort()).toEqual(['job-turn-1-2.json', 'job-turn-1-2.json.1.tmp']);
});
