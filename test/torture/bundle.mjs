// Node runs no TypeScript: a torture that is written in it is made one file in dist/, two folders below the root like its sources' helpers.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** @param name of its folder. @returns the address of the module that runs it. */
export async function bundleTorture(name) {
  const made = await rolldown({
    input: join(root, 'test', 'torture', name, 'main.ts'),
    platform: 'node',
  });
  const file = join(root, 'dist', 'torture', `${name}.mjs`);
  await made.write({ file, format: 'esm', codeSplitting: false, sourcemap: true });
  await made.close();
  return pathToFileURL(file).href;
}
