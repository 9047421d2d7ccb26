import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tmux } from '../../src/terminal/tmux.js';

/** A tmux that says that it is older than what terminals need, and knows nothing else. */
export function oldTmux(folder: string): Tmux {
  const programs = join(folder, 'old-tmux');
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, 'tmux'), '#!/bin/sh\n[ "$1" = -V ] && echo "tmux 3.1c"\n');
  chmodSync(join(programs, 'tmux'), 0o755);
  return new Tmux({ environment: { PATH: programs } });
}
