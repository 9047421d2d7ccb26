import type { TestOptions } from 'vitest';
import { findProgram } from '../../../src/foundation/programs.js';
import { hasPyYaml } from '../mail/pyyaml.js';

declare module 'vitest' {
  interface TaskMeta {
    /** The need of a test that is not met everywhere; where it is not, the test is left out and reported at the end. */
    needs?: string;
  }
}

/** For tests that become another user. */
export const needsRoot: TestOptions = { skip: process.getuid?.() !== 0, meta: { needs: 'root' } };

/** For tests against the YAML library that the older implementation has. */
export const needsPyYaml: TestOptions = { skip: !hasPyYaml, meta: { needs: 'python3 with PyYAML' } };

/** For tests of what another program does with ours. */
export const needsProgram = (name: string): TestOptions => ({
  skip: findProgram(name, process.env.PATH ?? '', '/') === null,
  meta: { needs: name },
});
