// Makes one or two files of each program that package.json names (`programs`): they start faster than hundreds of modules.
// A program with a `body` is a small entry that loads the body with its compiled code (cache-code.mjs). A `body` alone is what
// programs load only where it is wanted.
// Beside them, THIRD-PARTY-LICENSES.txt has the licences of the packages that they contain.
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { packagesIn, writeLicences } from './licences.mjs';

const out = join('dist', 'programs');
/** Modules that packages require and get something else for; each file beside says why. */
const leftOut = Object.fromEntries(
  ['body-parser', 'swagger-ui-dist/absolute-path', 'url'].map((name) => [
    name,
    fileURLToPath(new URL(`./left-out/${name.split('/')[0]}.cjs`, import.meta.url)),
  ]),
);
/** The SDK uses a part of undici (sdk/src/core/transport/); its entry would bring all of it. */
leftOut['undici/index.js'] = fileURLToPath(new URL('./left-out/undici.mjs', import.meta.url));
/** Packages that two programs share, in a file of their own: two copies would make the package too large. */
const shared = { 'prom-client': './houmao-prom-client.cjs' };
/** Without comments and indentation, and with short names of variables; those of functions and classes stay, so that a stack trace can be read. */
const minify = { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } };

const { programs } = JSON.parse(readFileSync('package.json', 'utf8'));
/** The folders of the packages that the programs contain. */
const packages = new Set();
rmSync(out, { recursive: true, force: true });
for (const [name, { workspace = '.', entry }] of Object.entries(programs)) {
  if (!entry) continue;
  await bundle(join(workspace === '.' ? join('dist', 'src') : join(workspace, 'dist'), entry), {
    format: 'esm',
    entryFileNames: `${name}.js`,
    chunkFileNames: `${name}-[name].js`,
    charset: 'ascii',
    minify,
  });
  chmodSync(join(out, `${name}.js`), 0o755);
}
const script = {
  format: 'cjs',
  entryFileNames: '[name].cjs',
  // A script of `node:vm` can require, and not import.
  dynamicImportInCjs: false,
  exports: 'named',
  charset: 'ascii',
  // The licences are in a file of their own, and one has a letter that is not ASCII.
  comments: false,
};
const bodies = Object.entries(programs).filter(([, { body }]) => body);
const pathsOf = (some) =>
  Object.fromEntries(some.map(([name, { body }]) => [name, join('dist', 'src', body)]));
// Gateway and server are mostly the same: that part stands once, in a file that both require.
await bundle(pathsOf(bodies.filter(([, { entry }]) => entry)), {
  ...script,
  chunkFileNames: 'houmao-[name].cjs',
  codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
  minify,
});
for (const one of bodies.filter(([, { entry }]) => !entry))
  await bundle(
    pathsOf([one]),
    { ...script, codeSplitting: false, minify: true },
    // Of modules only what is used is taken, as small as can be: little of it is ours.
    ['module', 'main'],
  );
await bundle(fileURLToPath(new URL('./left-out/prom-client.cjs', import.meta.url)), {
  format: 'cjs',
  entryFileNames: 'houmao-prom-client.cjs',
  charset: 'ascii',
  comments: false,
  minify,
});
writeLicences(out, packages);

/** @param mainFields which builds of packages are taken; left out, those for Node. */
async function bundle(input, output, mainFields) {
  const made = await rolldown({
    input,
    platform: 'node',
    resolve: { alias: leftOut, ...(mainFields && { mainFields }) },
    external: Object.keys(shared),
    // A module that the manager loads late is one that the server needs at once.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output: chunks } = await made.write({ dir: out, paths: shared, ...output });
  for (const folder of packagesIn(chunks)) packages.add(folder);
  await made.close();
}
