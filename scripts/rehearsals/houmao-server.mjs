// A server that starts, answers and stops, for scripts/build/cache-code.mjs.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveOnce } from '../build/serve-once.mjs';

/** @param served called when it has answered: what was compiled by then is what a start needs. */
export async function rehearse({ main }, load, served) {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-build-'));
  const environment = {
    ...process.env,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
  };
  try {
    const args = ['--root', join(folder, 'server')];
    await serveOnce({ main, args, environment, load, paths: ['/houmao/agents'] }, served);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
