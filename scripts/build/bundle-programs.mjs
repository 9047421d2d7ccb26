// Makes one or two files of each program that package.json names (`programs`): they start faster than hundreds of modules.
// A program with a `body` is a small entry that loads the body with its compiled code (cache-code.mjs).
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const out = join('dist', 'programs');
/** Packages with a binary stay apart. */
const apart = [/^better-sqlite3/];
/** Modules that packages require and get something else for; each file beside says why. */
const leftOut = Object.fromEntries(
  ['body-parser', 'url'].map((name) => [
    name,
    fileURLToPath(new URL(`./left-out/${name}.cjs`, import.meta.url)),
  ]),
);
/** Without comments and indentation, with every name: a stack trace can still be read. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

const { programs } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync(out, { recursive: true, force: true });
for (const [name, { workspace = '.', entry, body }] of Object.entries(programs)) {
  const compiled = workspace === '.' ? join('dist', 'src') : join(workspace, 'dist');
  await bundle(join(compiled, entry), {
    format: 'esm',
    entryFileNames: `${name}.js`,
    chunkFileNames: `${name}-[name].js`,
  });
  chmodSync(join(out, `${name}.js`), 0o755);
  if (!body) continue;
  await bundle(join(compiled, body), {
    format: 'cjs',
    entryFileNames: `${name}.cjs`,
    codeSplitting: false,
    exports: 'named',
    charset: 'ascii',
    minify,
  });
}

async function bundle(input, output) {
  const made = await rolldown({
    input,
    platform: 'node',
    external: apart,
    resolve: { alias: leftOut },
  });
  await made.write({ dir: out, ...output });
  await made.close();
}
