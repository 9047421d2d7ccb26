// Makes a CommonJS twin of every module in dist/ (.js → .cjs, .d.ts → .d.cts), for programs that `require` the SDK, and for
// tools that cannot `require` ES modules, such as Jest and the oldest Node that the SDK runs on. The types of the contracts have none:
// their folders say that they are CommonJS, which modules of both kinds may import, and they are 800 kB.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');
const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.CommonJS,
  esModuleInterop: true,
};

/** Modules of the SDK name each other by their twins. */
const amongTwins = (text) =>
  text.replace(/(\bfrom |\bimport\()(['"])(\.[^'"]*)\.js\2/g, (all, before, quote, path) =>
    types.test(path) ? all : `${before}${quote}${path}.cjs${quote}`,
  );
/** The folders of the contracts' types. */
const types = /\bgenerated\/[\w-]+\/types\//;

/** An equal file is left alone: its time tells what was built. */
function write(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

for (const name of readdirSync(dist, { recursive: true })) {
  const path = join(dist, name);
  if (types.test(name.replaceAll('\\', '/'))) {
    // Only types are in there.
    if (name.endsWith('.js')) rmSync(path);
    else if (name.endsWith('.d.ts'))
      write(join(dirname(path), 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
    continue;
  }
  if (name.endsWith('.d.ts')) write(path.replace(/ts$/, 'cts'), amongTwins(readFileSync(path, 'utf8')));
  if (!name.endsWith('.js')) continue;
  const module = amongTwins(readFileSync(path, 'utf8'));
  write(path.replace(/js$/, 'cjs'), ts.transpileModule(module, { compilerOptions }).outputText);
}
