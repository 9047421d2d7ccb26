import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestSession } from './test-session.js';

const source = new URL('./held-syncs.c', import.meta.url).pathname;

/** A disk under a gateway whose syncs a test holds back, refuses and watches. */
export interface HeldSyncs {
  /** The variables that the gateway needs in its environment. */
  readonly environment: NodeJS.ProcessEnv;
  /** From now on syncs wait. */
  hold(): void;
  /** From now on syncs fail. */
  fail(): void;
  /** From now on syncs go through, also those that wait. */
  release(): void;
  /** The syncs since the last call: which thread asked for it, and of which file. */
  seen(): { thread: 'main' | 'other'; file: string }[];
}

/** @throws Error where there is no C compiler. */
export function heldSyncs(session: TestSession): HeldSyncs {
  const control = join(session.folder, 'syncs');
  mkdirSync(control);
  const library = join(control, 'held-syncs.so');
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl']);
  const [hold, fail, log] = ['hold', 'fail', 'log'].map((name) => join(control, name)) as [
    string,
    string,
    string,
  ];
  let read = 0;
  return {
    environment: {
      LD_PRELOAD: library,
      HELD_SYNCS_FOLDER: session.paths.gateway,
      HELD_SYNCS_CONTROL: control,
    },
    hold: () => writeFileSync(hold, ''),
    fail: () => {
      writeFileSync(fail, '');
      rmSync(hold, { force: true });
    },
    release: () => {
      for (const path of [fail, hold]) rmSync(path, { force: true });
    },
    seen: () => {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
      const fresh = lines.slice(read);
      read = lines.length;
      return fresh.map((line) => {
        const [thread, file = ''] = line.split(' ') as ['main' | 'other', string?];
        return { thread, file };
      });
    },
  };
}
