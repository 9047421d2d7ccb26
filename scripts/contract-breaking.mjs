// `npm run contract:breaking [-- --base <ref>]`: compares the contract with the one of the last release and fails when
// it breaks callers without saying so in its version.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { breakingChanges } from './breaking/oasdiff.mjs';
import { opennessChanges } from './breaking/openness.mjs';
import { mayBreak } from './breaking/version-rule.mjs';
import { importTypeScript } from './tools/import-typescript.mjs';
import { runBin, runCommand } from './tools/run-command.mjs';
import { surfaces } from './tools/surfaces.mjs';

const help = `usage: npm run contract:breaking [-- --base <ref>]

Compares openapi/ with the last release: the highest tag such as v1.2.3 in the history of HEAD.
A breaking change needs a higher major in info.version; while that is 0.x, a higher minor.

  --base <ref>  compare with this commit, branch or tag instead
  --help        show this

Exit code 0: nothing breaks, the version says that it does, or there is no release yet. 1: it breaks, or that is unknown.`;

const say = (text) => console.log(`contract: ${text}`);
/** Steps of long work; results alone go to standard output. */
const progress = (text) => console.error(`contract: ${text}`);
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

/** The highest version among the tags that this history has; what is no release, such as v1.0.0-rc.1, does not count. */
function lastRelease() {
  const tags = runCommand('git', ['tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname']);
  return tags.split('\n').find((tag) => /^v\d+\.\d+\.\d+$/.test(tag)) ?? null;
}

/** The contract as it was at `ref`, below `folder`. */
function checkOut(ref, folder) {
  const archive = join(folder, 'openapi.tar');
  runCommand('git', ['archive', '--format=tar', `--output=${archive}`, ref, 'openapi']);
  runCommand('tar', ['-xf', archive, '-C', folder]);
}

const { openWords, wordsOfOpen } = await importTypeScript('src/contract/document/open-words.ts');

/** To a caller words that may grow are any text: a new one of them breaks nothing. */
function bundle(source, target) {
  runBin('redocly', 'bundle', source, '-o', target);
  const isOpen = (value) => value !== null && typeof value === 'object' && wordsOfOpen(value) !== null;
  const text = JSON.stringify(openWords(JSON.parse(readFileSync(target, 'utf8'))), (_name, value) =>
    isOpen(value) ? { ...value, anyOf: value.anyOf.slice(1) } : value,
  );
  writeFileSync(target, text);
  return JSON.parse(text);
}

/** @returns whether callers may take the present contract for what `ref` promised. */
function compare(surface, ref, work) {
  const [before, now] = ['before', 'now'].map((name) => join(work, `${surface}-${name}.json`));
  const source = join(work, 'openapi', `${surface}.yaml`);
  if (!existsSync(source)) {
    say(`${surface}: ${ref} did not have it; nothing breaks`);
    return true;
  }
  const was = bundle(source, before);
  const is = bundle(join('openapi', `${surface}.yaml`), now);
  const breaks = [
    ...breakingChanges(before, now, progress),
    ...opennessChanges(was, is).map((change) => `${change.place} was ${change.was} and is ${change.is}`),
  ];
  const versions = `${was.info.version} (${ref}) and ${is.info.version}`;
  for (const line of breaks) console.log(`  ${line}`);
  if (breaks.length === 0) {
    say(`${surface}: nothing breaks between ${versions}`);
    return true;
  }
  if (mayBreak(was.info.version, is.info.version)) {
    say(`${surface}: ${breaks.length} breaking changes between ${versions}, and the version says so`);
    return true;
  }
  say(`${surface}: ${breaks.length} breaking changes between ${versions}; raise the major of info.version`);
  return false;
}

function main() {
  const { values } = parseArgs({ options: { base: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    console.log(help);
    return true;
  }
  const ref = values.base ?? lastRelease();
  if (ref === null) {
    say('there is no release tag (v1.2.3) in this history yet; nothing to compare with');
    return true;
  }
  mkdirSync('build', { recursive: true });
  const work = mkdtempSync(join('build', 'breaking-'));
  try {
    checkOut(ref, work);
    return surfaces.map((surface) => compare(surface, ref, work)).every(Boolean);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

try {
  process.exitCode = main() ? 0 : 1;
} catch (error) {
  console.error(`contract: ${error.message}`);
  process.exitCode = 1;
}
