// The import of modules that scripts share with the sources of the page and with tests, without a build: some run before there is one.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** Imports a TypeScript file with all that it imports. */
export async function importTypeScript(file) {
  mkdirSync('build', { recursive: true });
  const folder = mkdtempSync(join('build', 'imported-'));
  try {
    const made = await rolldown({ input: file, platform: 'node' });
    await made.write({ dir: folder, entryFileNames: 'imported.mjs' });
    await made.close();
    return await import(pathToFileURL(resolve(folder, 'imported.mjs')).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
