// Which kind of test a file is, read off what it imports: the kinds are run in different ways (vitest.config.ts). No list says it, so
// none can be out of date. Imports no package.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * pure: decisions only. No process, connection, database or folder: all of them run in one process, one after the other.
 * parts: unit tests with real parts, and the contract tests: many files share one worker.
 * apart: they replace a module of Node's, so each has a process of its own.
 * e2e: whole programs.
 * mail: they start a mail server.
 * @typedef {'pure' | 'parts' | 'apart' | 'e2e' | 'mail'} TestKind
 */

/** Modules that reach the machine. Reading files is left out: fixtures and sources are data. */
const reachesMachine =
  /^(node:)?(child_process|net|http|https|http2|tls|dgram|worker_threads|sqlite)$|^(better-sqlite3|undici|express|playwright-core)(\/|$)/;
/** The words in the text of a test, or of a file that it needs, that have to do with the machine. */
const touchesMachine = /\bmkdtemp(Sync)?\(|\bimportOriginal\b/;
const replacesModule = /\bvi\.mock\(/;
const mailServer = 'test/support/jmap/cyrus-server.ts';

/**
 * @param {string} root of the repository
 * @returns {Record<TestKind, string[]>} the test files of test/unit, test/contract and test/e2e, relative to it
 */
export function testKinds(root) {
  const reader = new ImportReader(root);
  const kinds = { pure: [], parts: [], apart: [], e2e: [], mail: [] };
  for (const folder of ['unit', 'contract', 'e2e'])
    for (const file of testFilesIn(join(root, 'test', folder)))
      kinds[kindOf(folder, reader.everythingOf(file))].push(relative(root, file));
  return kinds;
}

/**
 * @param {string} folder of test/ that the file stands in
 * @param {{ files: Set<string>, modules: Set<string>, texts: readonly string[] }} reached by the file, itself included; paths are
 *   relative to the repository
 * @returns {TestKind}
 */
export function kindOf(folder, { files, modules, texts }) {
  if (files.has(mailServer)) return 'mail';
  if (folder === 'e2e') return 'e2e';
  if (replacesModule.test(texts[0])) return 'apart';
  if (folder === 'contract') return 'parts';
  const machine =
    [...modules].some((name) => reachesMachine.test(name)) || texts.some((text) => touchesMachine.test(text));
  return machine ? 'parts' : 'pure';
}

/** Follows imports, those of types alone excepted. */
class ImportReader {
  #root;
  /** The imports of each file: paths of files, names of modules. */
  #read = new Map();

  constructor(root) {
    this.#root = root;
  }

  everythingOf(file) {
    const seen = new Set([file]);
    const modules = new Set();
    for (const path of seen) {
      const { files, names } = this.#importsOf(path);
      for (const each of files) seen.add(each);
      for (const name of names) modules.add(name);
    }
    const tests = [...seen].filter((path) => path.startsWith(join(this.#root, 'test')));
    return {
      files: new Set([...seen].map((path) => relative(this.#root, path))),
      modules,
      texts: tests.map((path) => this.#importsOf(path).text),
    };
  }

  #importsOf(file) {
    const known = this.#read.get(file);
    if (known !== undefined) return known;
    const text = readFileSync(file, 'utf8');
    const specifiers = importsIn(text);
    const found = {
      text,
      files: specifiers.flatMap((specifier) => pathOf(file, specifier) ?? []),
      names: specifiers.filter((specifier) => !specifier.startsWith('.')),
    };
    this.#read.set(file, found);
    return found;
  }
}

/** @returns {string[]} what a file of TypeScript imports when it runs, as written there */
export function importsIn(text) {
  const statements = /^\s*(?:import|export)\s+(?!type\b)(?:[^;'"]*?\bfrom\s*)?['"]([^'"]+)['"]/gm;
  const calls = /\bimport\(\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(statements), ...text.matchAll(calls)].map(([, specifier]) => specifier);
}

function pathOf(file, specifier) {
  if (!specifier.startsWith('.')) return null;
  const written = resolve(dirname(file), specifier);
  const source = written.replace(/\.js$/, '.ts');
  if (existsSync(source) && /\.ts$/.test(source)) return source;
  return /\.m?js$/.test(written) && existsSync(written) ? written : null;
}

const testFilesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
