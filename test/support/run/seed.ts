import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the run (vitest.config.ts). */
    seed: number;
  }
}

// Property tests draw from the seed of the run, so that a failure comes again.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: inject('seed') });
