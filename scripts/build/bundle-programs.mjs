// Makes one or two files of each program that package.json names (`programs`): they start faster than hundreds of modules.
// A program with a `body` is a small entry that loads the body with its compiled code (cache-code.mjs).
// Beside them, THIRD-PARTY-LICENSES.txt has the licences of the packages that they contain.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

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
/** Without comments and indentation, with every name: a stack trace can still be read. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

const { programs } = JSON.parse(readFileSync('package.json', 'utf8'));
/** The folders of the packages that the programs contain. */
const packages = new Set();
rmSync(out, { recursive: true, force: true });
for (const [name, { workspace = '.', entry, body }] of Object.entries(programs)) {
  const compiled = workspace === '.' ? join('dist', 'src') : join(workspace, 'dist');
  await bundle(join(compiled, entry), {
    format: 'esm',
    entryFileNames: `${name}.js`,
    chunkFileNames: `${name}-[name].js`,
    charset: 'ascii',
    minify,
  });
  chmodSync(join(out, `${name}.js`), 0o755);
  if (!body) continue;
  await bundle(join(compiled, body), {
    format: 'cjs',
    entryFileNames: `${name}.cjs`,
    codeSplitting: false,
    exports: 'named',
    charset: 'ascii',
    // The licences are in a file of their own, and one has a letter that is not ASCII.
    comments: false,
    minify,
  });
}
writeFileSync(
  join(out, 'THIRD-PARTY-LICENSES.txt'),
  [...packages]
    .sort()
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`),
);

async function bundle(input, output) {
  const made = await rolldown({
    input,
    platform: 'node',
    resolve: { alias: leftOut },
  });
  const { output: chunks } = await made.write({ dir: out, ...output });
  for (const { moduleIds = [] } of chunks)
    for (const id of moduleIds) {
      const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
      if (folder !== undefined) packages.add(folder);
    }
  await made.close();
}

/** The name, version and licence of a package; its licence's name where it has no text of it. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n').concat('\n');
}
