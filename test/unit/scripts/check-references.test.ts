import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../../scripts/check-references.mjs');
let folder: string;

/** A repository with these files beside a document that may be cited, and what the check says of it. */
function check(files: Record<string, string>): { status: number | null; problems: string[] } {
  const all = {
    'docs/decisions.md': '# Decisions\n\n## The queue\n\n### One `slot`, each\n\n```sh\n# no heading\n```\n',
    'src/queue/slot.ts': 'export const slot = 1;\n',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  return {
    status,
    problems: stderr.split('\n').filter((line) => line !== '' && !/lead nowhere$/.test(line)),
  };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'references-'));
  spawnSync('git', ['init', '--quiet', folder]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a citation of a paper that is not in the repository', () => {
  test.each([
    ['a decision by its number', '/** One at a time (decision 44). */'],
    ['several decisions', '// As it is (decisions 3 and 43).'],
    ['a decision broken over two lines', '/**\n * One at a time (decision\n * 44).\n */'],
    ['a section', '/** The order of gateway §2.3. */'],
    ['a section, spaced', '// managed-agent § 7'],
    ['a trap', '// Quoted (trap T-47).'],
    ['a trap alone', '// See T-47.'],
    ['the seeds', '/** Lost, as the seeds say. */'],
    ['a form of theirs', '// In the seed form.'],
    ['one of them', '/** As the seed stores it. */'],
    ['a page by its name', '/** additions.md, the second part. */'],
  ])('is found: %s', (_name, comment) => {
    const { status, problems } = check({ 'src/queue/worker.ts': `${comment}\nexport const worker = 1;\n` });
    expect(status).toBe(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^src\/queue\/worker\.ts:[123]: /);
  });

  test.each([
    ['src/a.mjs', '// (decision 9)'],
    ['openapi/a.yaml', 'description: In the seeds it is called otherwise.'],
    ['test/a.test.ts', "test('has the fields of the seeds', () => {});"],
    ['test/a/hooks.py', '# decision 9'],
    ['README.md', 'As decision 9 says.'],
  ])('is found in %s', (path, text) => {
    expect(check({ [path]: `${text}\n` })).toEqual({
      status: 1,
      problems: [expect.stringMatching(new RegExp(`^${path}:1: `))],
    });
  });

  test('is not seen in what only looks like one', () => {
    const text = [
      '// A run is repeated with its seed; a fixed seed gives the same run, and the seed is printed.',
      '// RFC 9112 §6.3 says so. A decision took 3 ms. T-shirt sizes. Turn t-1.',
    ];
    expect(check({ 'src/random.ts': text.join('\n') })).toEqual({ status: 0, problems: [] });
  });
});

describe('a link or a mention', () => {
  test('is followed to file and heading', () => {
    const files = {
      'README.md':
        '[why](docs/decisions.md#one-slot-each), [here](#a-part), [folder](src/queue), [web](https://x.test/#y)\n\n## A part\n',
      'docs/glossary.md':
        'See [decisions](decisions.md#the-queue), [up](../README.md#a-part), decisions.md.\n',
      'src/queue/worker.ts':
        '// One at a time (docs/decisions.md#one-slot-each), as slot.ts and queue/slot.ts say.\nconst path = "gone.md";\n',
    };
    expect(check(files)).toEqual({ status: 0, problems: [] });
  });

  test.each([
    ['a heading that is not there', 'README.md', '[why](docs/decisions.md#two-slots)', 'heading'],
    ['a heading inside code', 'README.md', '[why](docs/decisions.md#no-heading)', 'heading'],
    ['a heading of the same file', 'README.md', '[below](#gone)', 'heading'],
    ['a file that is not there', 'docs/more.md', '[up](decisions2.md)', 'file'],
    ['a path from the wrong folder', 'docs/more.md', '[why](docs/decisions.md)', 'file'],
    ['a document in a comment', 'src/a.ts', '// Why: docs/reasons.md', 'file'],
    ['a heading in a comment', 'src/a.ts', '/* Why: docs/decisions.md#two-slots */', 'heading'],
    ['a heading in YAML', 'openapi/a.yaml', '# docs/decisions.md#two-slots', 'heading'],
    ['a source that is not there', 'src/a.ts', '// It is done in queue/gone.ts.', 'file'],
    ['a source in another folder', 'CONTRIBUTING.md', 'See `turn/slot.ts`.', 'file'],
  ])('that leads nowhere is found: %s', (_name, path, text, missing) => {
    expect(check({ [path]: `${text}\n` })).toEqual({
      status: 1,
      problems: [expect.stringMatching(new RegExp(`^${path}:1: .*there is no such ${missing}$`))],
    });
  });
});

test('ignores what is generated, and what other programs said', () => {
  const text = '// decision 9, gone.ts\n';
  expect(check({ 'generated/gateway/a.ts': text, 'test/fixtures/a.ts': text })).toEqual({
    status: 0,
    problems: [],
  });
});
