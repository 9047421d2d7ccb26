import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.js';

const script = new URL('../../../scripts/check-words.mjs', import.meta.url).href;
const { doubledNames, repeatedWords, retiredWords } = (await import(script)) as {
  doubledNames(root: string): { name: string; paths: string[] }[];
  repeatedWords(root: string): { words: string; literal: string; places: string[] }[];
  retiredWords(root: string): { place: string; found: string; instead: string }[];
};
const folder = temporaryFolder();

/** A repository with these files beside some that say sentences. */
function repository(files: Record<string, string>): string {
  const root = mkdtempSync(join(folder, 'repository-'));
  const document = JSON.stringify({
    info: { description: 'The contract \n says that books are lent here.' },
  });
  for (const [path, text] of Object.entries({
    'src/shop.ts': "export const refusal = 'The shop takes no old books. Sell them at the market.';\n",
    'sdk/src/words.ts': "export const lent = '; it is lent to somebody until May.';\n",
    'scripts/run.mjs': "console.error('nothing can be bought while it is closed');\n",
    'generated/shop/openapi.json': document,
    ...files,
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The findings of the check there: the words, the literal that has them, and where they are asserted. */
const check = (files: Record<string, string>) =>
  repeatedWords(repository(files)).map(({ words, literal, places }) => [words, literal, ...places.sort()]);

/** Two tests in different rooms, with these lines as their second. */
const both = (one: string, other: string) => ({
  'test/unit/shop/shop.test.ts': `// One.\n${one}\n`,
  'test/e2e/cli/shop.test.ts': `// Other.\n${other}\n`,
});
const places = ['test/e2e/cli/shop.test.ts:2', 'test/unit/shop/shop.test.ts:2'];
const sentence = 'The shop takes no old books';

test.each([
  ['as it is', `expect(x).toBe('${sentence}.');`],
  ['as a pattern', `expect(x).toMatch(/^houmao-mgr: ${sentence}\\. Sell/);`],
  ['as a part', `expect(x).toEqual([1, { detail: expect.stringContaining('${sentence}') }]);`],
  ['in a template', `expect(x).toContain(\`\${y}: ${sentence}, \${z}\`);`],
  ['by a constant', `const why = { detail: '${sentence}.' }; expect(x).toMatchObject(why);`],
  ['by what makes it', `const why = (x: string) => \`${sentence}\${x}\`; expect(x).toBe(why('!'));`],
  ['in a table', `test.each([['old books', '${sentence}.']])('%s', (_what, why) => expect(x).toBe(why));`],
  ['as what a program is to say', `await run.saying(/${sentence}\\n/);`],
])('a sentence that two files assert is found: %s', (_how, line) => {
  expect(check(both(`expect(x).toBe('${sentence}.');`, line))).toEqual([
    ['the shop takes no old', 'src/shop.ts:1', ...places],
  ]);
});

test('so are those of the SDK, the scripts and the contract, and two files of one folder', () => {
  const line = [
    "expect(x).toContain('is lent to somebody until May');",
    'expect(x).toMatch(/nothing can be bought while/);',
    "expect(x).toContain('The contract says that books are lent');",
  ].join('\n');
  const found = check({ 'test/unit/a/a.test.ts': line, 'test/unit/a/b.test.ts': line });
  expect(found.map(([, literal]) => literal).sort()).toEqual([
    ...['generated/shop/openapi.json', 'scripts/run.mjs:1', 'sdk/src/words.ts:1'],
  ]);
});

test.each([
  ['four words', "expect(x).toBe('the shop takes no');"],
  ['its two ends', 'expect(x).toMatch(/^The shop takes .* old books/);'],
  ['another part of it', "expect(x).toContain('Sell them at the market');"],
  ['what nobody says', "expect(x).toBe('The shop sells no old books.');"],
  ['the title of a test', `test('${sentence}', () => {});`],
  ['the name of a row', `test.each([['${sentence}', 7]])('%s', (_name, x) => expect(x).toBe(7));`],
  ['what is given, not compared', `expect(said({ detail: '${sentence}.' }).code).toBe(7);`],
  ['a command to copy', "expect(x).toBe('houmao-mgr the shop takes no old books');"],
])('%s is no second assertion', (_what, line) => {
  expect(check(both(`expect(x).toBe('${sentence}.');`, line))).toEqual([]);
});

test('of two sentences with a beginning in common each is its own', () => {
  const more = "export const again = 'The shop takes no old newspapers and no glass.';\n";
  expect(
    check({
      'src/more.ts': `${more}export const most = 'The shop takes no old books of others.';\n`,
      ...both(
        `expect(x).toBe('${sentence}. Sell them.');`,
        "expect(x).toBe('The shop takes no old newspapers');",
      ),
    }),
  ).toEqual([]);
});

test('what the stand-in and the tools draw is not ours', () => {
  const drawn = "export const dialog = 'Do you want to go on with it?';\n";
  const line = "expect(x).toContain('Do you want to go on');";
  expect(
    check({ 'standin/src/draw.ts': drawn, 'src/tools/toy/find.ts': drawn, ...both(line, line) }),
  ).toEqual([]);
});

test('an object literal that is spread for its layout is retired', () => {
  const spread = '..'.concat('.{');
  const root = repository({ 'src/till.ts': `export const till = {\n  ${spread} open: true },\n};\n` });
  expect(retiredWords(root)).toMatchObject([{ place: 'src/till.ts:2', found: spread }]);
});

test('words are retired in code, in the contract and in documents; names of code only in code', () => {
  const root = repository({
    'openapi/shop.yaml': 'description: Whoever buys is told the price.\n',
    'README.md': 'The price is said anew.\nIt has mayBeDone.\n',
    'test/shop.test.ts': '// A wish.\nconst mayBeDone = true;\n/** What is sold. */\n',
    'src/stock.ts': '/** What is sold. */\n',
  });
  expect(retiredWords(root).map(({ place, found }) => `${place} ${found}`)).toEqual([
    'src/stock.ts:1 /** What',
    'test/shop.test.ts:1 wish',
    'test/shop.test.ts:2 mayBeDone',
    'test/shop.test.ts:3 /** What',
    'openapi/shop.yaml:1 told',
    'openapi/shop.yaml:1 Whoever',
    'README.md:1 anew',
  ]);
});

test('two exported types of one name are found, but for the two entry points of the SDK', () => {
  const root = repository({
    'src/till.ts': 'export interface Price {}\ninterface Own {}\n',
    'src/shelf.ts': 'export type Price = number;\ninterface Own {}\n',
    'sdk/src/gateway/book.ts': 'export class Book {}\n',
    'sdk/src/managed-agent/book.ts': 'export class Book {}\n',
  });
  const [found, ...more] = doubledNames(root);
  expect([found?.name, found?.paths.sort(), more]).toEqual(['Price', ['src/shelf.ts', 'src/till.ts'], []]);
});

test('the program says each finding, with the places, and fails', () => {
  const line = `expect(x).toBe('${sentence}.');`;
  const run = (files: Record<string, string>) =>
    spawnSync(process.execPath, [fileURLToPath(script), repository(files)], { encoding: 'utf8' });
  expect(run(both(line, ''))).toMatchObject({ status: 0, stderr: '' });
  const { status, stderr } = run(both(line, line));
  expect([status, stderr.split('\n').length]).toEqual([1, 2]);
  for (const place of places) expect(stderr).toContain(place);
});
