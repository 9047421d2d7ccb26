// Has V8 compile what a start of each program needs and keeps that code beside the files: a rehearsal of the program (a file
// of its name in scripts/rehearsals) runs it once. The cache holds for this Node and its flags; others pass over it.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cachePath, cacheStamp, loadCached } from '../../dist/src/foundation/cached-script.js';

const rehearsals = fileURLToPath(new URL('../rehearsals/', import.meta.url));
for (const file of readdirSync(rehearsals)) {
  const program = resolve('dist', 'programs', `${basename(file, '.mjs')}.cjs`);
  if (!existsSync(program)) throw new Error(`${file} rehearses a program that is not there: ${program}`);
  const scripts = new Map();
  const load = (path) => loadCached(path, (script, file) => scripts.set(file, script));
  const { rehearse } = await import(pathToFileURL(join(rehearsals, file)).href);
  await rehearse(load(program), load, () => {
    for (const [path, script] of scripts)
      writeFileSync(cachePath(path), Buffer.concat([cacheStamp(path), script.createCachedData()]));
  });
}
