// `node scripts/check-tests.mjs [folder]`: test/unit/ mirrors src/ (test/unit/sdk/, test/unit/standin/ and test/unit/console/ the sources of these, test/unit/scripts/ the
// scripts): the tests of a file stand at its path, under its name, or several beside each other under its name and another
// word (`projection-disk.test.ts`). And no `beforeEach` returns its clean-up. Run by `npm run lint`; says each finding, exits with 1.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Tests of test/unit/ that no one file is the subject of, and why. */
const exceptions = {
  hostile: 'what test/hostile/ sends is tested here; there it would run only with the hostile requests',
  torture: 'what decides in test/torture/ is tested here; there it would run only with the torture',
  'tools/any-row.test.ts': 'asks the same of every adapter',
  'tools/command-lines.test.ts': 'asks the same of every adapter',
  'tools/reasoning-ladders.test.ts': 'asks the same of every adapter',
  'tools/terminal-commands.test.ts': 'asks the same of every adapter',
};

const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
const unit = join(root, 'test', 'unit');

const findings = [...withoutSubject(), ...idleExceptions(), ...lateCleanUps()];
for (const finding of findings) console.error(`tests: ${finding}`);
process.exitCode = findings.length === 0 ? 0 : 1;

function withoutSubject() {
  return entriesOf(unit).flatMap(({ path, folder }) => {
    if (isException(path)) return [];
    if (folder)
      return existsSync(join(root, sourceOf(path)))
        ? []
        : [`test/unit/${path}/ stands for ${sourceOf(path)}/, which is not there`];
    if (!path.endsWith('.test.ts') || hasSubject(path)) return [];
    return [
      `test/unit/${path} tests no file of ${dirname(sourceOf(path))}/: move it to where its subject is`,
    ];
  });
}

/**
 * Finds hooks that return their clean-up: vitest calls it after every `afterEach`, also those of outer blocks, which remove
 * the folder in which it still works.
 */
function lateCleanUps() {
  return readdirSync(join(root, 'test'), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(root, 'test', path), 'utf8');
      const hooks = text.matchAll(/^( *)before(?:Each|All)\([^\n]*\{\n[\s\S]*?\n\1\}\);$/gm);
      return [...hooks].some(([hook, indent]) =>
        new RegExp(`^${indent}  return (?:async )?\\(`, 'm').test(hook),
      )
        ? [`test/${path}: a hook returns its clean-up, which runs after every afterEach: write an afterEach`]
        : [];
    });
}

/** Where the subject of a path in test/unit/ stands. */
function sourceOf(path) {
  if (/^scripts(\/|$)/.test(path)) return path;
  const workspace = /^(sdk|standin|console)(?=\/|$)/.exec(path)?.[0];
  return workspace === undefined ? join('src', path) : path.replace(workspace, `${workspace}/src`);
}

function hasSubject(path) {
  const folder = join(root, dirname(sourceOf(path)));
  if (!existsSync(folder)) return false;
  const name = basename(path, '.test.ts');
  return readdirSync(folder)
    .filter((file) => /\.(tsx?|mjs|cjs)$/.test(file))
    .map((file) => file.replace(/\.\w+$/, ''))
    .some((subject) => name === subject || name.startsWith(`${subject}-`));
}

function isException(path) {
  return Object.keys(exceptions).some((each) => path === each || path.startsWith(`${each}/`));
}

function idleExceptions() {
  return Object.keys(exceptions)
    .filter((path) => !existsSync(join(unit, path)))
    .map((path) => `there is no test/unit/${path}; scripts/check-tests.mjs need not except it`);
}

function entriesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: join(entry.parentPath, entry.name).slice(folder.length + 1),
    folder: entry.isDirectory(),
  }));
}
