import { describe, expect, test } from 'vitest';
import { importsIn, kindOf, testKinds } from '../../../../scripts/gate/test-kinds.mjs';

const reached = (over: { files?: string[]; modules?: string[]; texts?: string[] } = {}) => ({
  files: new Set(over.files ?? ['test/unit/a.test.ts']),
  modules: new Set(over.modules ?? ['vitest', 'node:fs']),
  texts: over.texts ?? ['test();'],
});

describe('the kind of a test', () => {
  test('is pure where nothing that it needs reaches the machine', () => {
    expect(kindOf('unit', reached())).toBe('pure');
  });

  test.each(['node:child_process', 'node:net', 'http', 'better-sqlite3', 'undici', 'express'])(
    'is parts with %s',
    (name) => {
      expect(kindOf('unit', reached({ modules: [name] }))).toBe('parts');
    },
  );

  test('is parts where it makes a temporary folder, itself or a file that it needs', () => {
    expect(kindOf('unit', reached({ texts: ['test();', 'mkdtempSync(join(tmpdir()))'] }))).toBe('parts');
  });

  test('is apart where it replaces a module', () => {
    expect(kindOf('unit', reached({ texts: ["vi.mock('node:fs');"] }))).toBe('apart');
  });

  test('is mail where it needs a mail server, wherever it stands', () => {
    const files = ['test/e2e/a.test.ts', 'test/support/jmap/cyrus-server.ts'];
    for (const folder of ['unit', 'contract', 'e2e']) expect(kindOf(folder, reached({ files }))).toBe('mail');
  });

  test('is that of its folder otherwise', () => {
    expect(kindOf('contract', reached())).toBe('parts');
    expect(kindOf('e2e', reached())).toBe('e2e');
  });
});

test('what a file imports when it runs is found, and types are not', () => {
  const text = [
    'import { a,',
    "  b } from './ab.js';",
    "import type { C } from './c.js';",
    "import './d.js';",
    "export { e } from 'e';",
    "const f = await import('./f.mjs');",
  ].join('\n');
  expect(importsIn(text).sort()).toEqual(['./ab.js', './d.js', './f.mjs', 'e']);
});

test('each kind has tests here, and each test one kind', () => {
  const kinds = testKinds('.');
  for (const files of Object.values(kinds)) expect(files.length).toBeGreaterThan(0);
  const all = Object.values(kinds).flat();
  expect(new Set(all).size).toBe(all.length);
});
