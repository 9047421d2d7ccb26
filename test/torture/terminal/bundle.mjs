// Node runs no TypeScript: the torture of terminals is made one file in dist/, two folders below the root like its sources' helpers.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** @returns the address of the module that runs it. */
export async function bundleTerminalTorture() {
  const made = await rolldown({
    input: join(root, 'test', 'torture', 'terminal', 'main.ts'),
    platform: 'node',
    external: [/^better-sqlite3/, /^swagger-ui/],
  });
  const file = join(root, 'dist', 'torture', 'terminal.mjs');
  await made.write({ file, format: 'esm', codeSplitting: false, sourcemap: true });
  await made.close();
  return pathToFileURL(file).href;
}
