import { afterAll, afterEach } from 'vitest';
import { endLeftPrograms } from '../serving-process.js';
import { killOwners } from '../turn-owner.js';

// A test that fails in the middle stops nothing; this last hook of its file does. One that passes has stopped its own programs.
let failed = false;
afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});
afterAll(async () => {
  await killOwners();
  const left = await endLeftPrograms();
  if (left.length > 0 && !failed)
    throw new Error(`Programs were left running by tests that passed: ${left.join()}`);
});
