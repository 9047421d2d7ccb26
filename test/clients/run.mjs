// `npm run test:clients [-- python go spectral]`: clients by the generators of docs/clients.md. Each is generated, compiled, and calls a live
// program of each surface with the stand-in agent; and linters have nothing to say of either document. `-- --write` writes the table there.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireGenerator } from '../../scripts/tools/openapi-generator.mjs';
import { requirePrograms } from '../../scripts/tools/run-command.mjs';
import { withLaterWords } from '../support/later-words.mjs';
import { liveSurfaces } from '../support/live-surface.mjs';
import { documentOf, olderDocumentOf } from './language.mjs';
import { go } from './languages/go.mjs';
import { java } from './languages/java.mjs';
import { oapiCodegen, ogen } from './languages/other-go.mjs';
import { datamodelCodegen, openapiPythonClient } from './languages/other-python.mjs';
import { python } from './languages/python.mjs';
import { heyApi, openapiZodClient, orval, typescriptFetch } from './languages/typescript.mjs';
import { linters } from './linters.mjs';
import { checkTable, writeTable } from './table.mjs';

process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '../..'));
const say = (line) => console.log(`clients: ${line}`);
const languages = [
  ...[python, openapiPythonClient, datamodelCodegen],
  ...[go, oapiCodegen, ogen, java],
  ...[typescriptFetch, heyApi, orval, openapiZodClient],
];
const surfaces = ['gateway', 'managed-agent'];
const counts = { passed: 0, failed: 0 };

function count(language, name, trouble) {
  if (trouble === null) counts.passed += 1;
  else counts.failed += 1;
  say(`${language.name}: ${name}: ${trouble === null ? 'ok' : `FAILED\n${trouble}`}`);
}

/** @returns what the step gave, or null when it failed. */
function step(language, name, work) {
  try {
    const made = work();
    count(language, name, null);
    return made;
  } catch (error) {
    count(language, name, error.message);
    return null;
  }
}

/** @param of what is particular about the surface at that address, in words. */
async function call(language, caller, surface, url, of = '') {
  const output = await new Promise((resolve) => {
    const options = { env: { ...process.env, ...caller.environment }, timeout: 120_000 };
    execFile(caller.command, [...caller.args, url], options, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
  });
  const lines = output.split('\n');
  for (const name of language.checks[surface])
    count(language, `${name}${of}`, lines.includes(`ok ${name}`) ? null : (troubleOf(lines, name) ?? output));
}

const troubleOf = (lines, name) =>
  lines.find((line) => line.startsWith(`failed ${name}: `))?.slice(`failed ${name}: `.length);

async function main(chosen) {
  requirePrograms([...new Set(chosen.clients.flatMap((language) => language.programs))]);
  requireGenerator(say);
  const work = mkdtempSync(join(tmpdir(), 'houmao-clients-'));
  try {
    for (const surface of surfaces) await callAll(chosen, surface, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function callAll({ clients, lints }, surface, work) {
  say(surface);
  const live = await liveSurfaces[surface]('clients');
  try {
    for (const [path, file] of [
      ['/openapi.json', documentOf],
      ['/openapi-3.0.json', olderDocumentOf],
    ]) {
      const document = await fetch(`${live.url}${path}`);
      writeFileSync(file(surface, work), await document.text());
    }
    for (const linter of lints)
      for (const document of [documentOf(surface, work), olderDocumentOf(surface, work)])
        step(linter, `${basename(document)} is clean`, () => linter.lint(document, work, say));
    for (const language of clients) await tryOut(language, surface, work, live.url);
  } finally {
    await live.end();
  }
}

async function tryOut(language, surface, work, url) {
  const client = step(language, 'the client is generated', () => language.generate(surface, work, say));
  const caller =
    client && step(language, 'the client compiles', () => language.compile(client, surface, say));
  if (!caller) return;
  await call(language, caller, surface, url);
  const later = await withLaterWords(url);
  await call(
    language,
    caller,
    surface,
    later.url,
    ' (at a surface of a later version, with words of its own)',
  );
  await later.close();
  count(language, 'it was given such words', later.count() > 0 ? null : 'there was none');
}

const all = [...languages, ...linters];

function choose(names) {
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new Error(`there is no ${unknown} here, only ${all.map(({ name }) => name).join(', ')}`);
  const chosen = (list) => (names.length === 0 ? list : list.filter(({ name }) => names.includes(name)));
  return { clients: chosen(languages), lints: chosen(linters) };
}

try {
  const names = process.argv.slice(2);
  if (names.includes('--write')) writeTable(languages, linters);
  step({ name: 'docs/clients.md' }, 'its table is that of the pinned versions', () =>
    checkTable(languages, linters),
  );
  await main(choose(names.filter((name) => name !== '--write')));
} catch (error) {
  counts.failed += 1;
  console.error(`clients: ${error.message}`);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
