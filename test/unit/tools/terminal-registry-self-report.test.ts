import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord, rowOf } from '../../../src/tools/adapter/json-value.js';
import { FollowedFile } from '../../../src/tools/self-report/agent-files.js';
import type { SelfReportFact } from '../../../src/tools/self-report/self-report.js';
import { toolSelfReport } from '../../../src/tools/terminal-registry.js';
import { toolNames } from '../../../src/tools/tool-registry.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { factLines, factsOf, readerMakers, readerOf, sampleText } from './session-sample.js';

const expected: Record<string, string[]> = JSON.parse(sampleText('expected-facts.json'));
const files = Object.keys(expected);

describe('the files of real sessions', () => {
  it.each(files)('%s', (file) => {
    expect(factLines(factsOf(readerOf(file), sampleText(file)))).toEqual(expected[file]);
  });

  it('every fact names its row and nothing of the conversation', () => {
    for (const file of files)
      for (const fact of factsOf(readerOf(file), sampleText(file)))
        expect(fact.evidence).toMatch(/^([\w]+ )?row at byte \d+ of sample$/);
  });

  it('the facts are the same however the bytes arrive', async () => {
    const folder = temporaryFolder();
    let number = 0;
    const small = files.filter((file) => sampleText(file).length < 20_000);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...small),
        fc.array(fc.nat(), { maxLength: 6 }),
        async (file, cuts) => {
          const bytes = Buffer.from(sampleText(file));
          number += 1;
          const path = join(folder, `${number}.jsonl`);
          writeFileSync(path, '');
          const reader = readerOf(file);
          const facts: SelfReportFact[] = [];
          const followed = new FollowedFile(path, 0, {
            line: (text) => facts.push(...reader.read(rowOf(text) ?? {}, { file: 'sample', offset: 0 })),
            restarted: () => expect.unreachable(),
          });
          const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
          for (const [index, place] of [...places, bytes.length].entries()) {
            appendFileSync(path, bytes.subarray(places[index - 1] ?? 0, place));
            await followed.catchUp();
          }
          expect(factLines(facts)).toEqual(expected[file]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Field names and values that the readers look at, so that random rows reach deep into them. */
const words = files.flatMap((file) => sampleText(file).match(/"[\w$]{1,24}"/g) ?? []);
const known = fc.constantFrom(...new Set(words.map((word) => word.slice(1, -1))));
const { value } = fc.letrec<{ value: unknown; list: unknown[]; row: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 1 }), known, tie('list'), tie('row')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  row: fc.dictionary(fc.oneof({ arbitrary: known, weight: 5 }, fc.string()), tie('value'), { maxKeys: 6 }),
}));

/** Rows of real sessions with some of their fields, at any depth, exchanged. */
const rows = files.flatMap((file) => sampleText(file).split('\n')).map((line) => rowOf(line) ?? {});
const damaged = fc
  .tuple(fc.constantFrom(...rows), fc.array(fc.tuple(fc.array(fc.nat()), value), { maxLength: 3 }))
  .map(([row, changes]) =>
    changes.reduce<unknown>((before, [path, now]) => exchanged(before, path, now), row),
  )
  .filter(isRecord);

/** @param path numbers that choose a field each, from the outside in. */
function exchanged(before: unknown, [first, ...path]: readonly number[], now: unknown): unknown {
  if (first === undefined || typeof before !== 'object' || before === null) return now;
  const keys = Object.keys(before);
  const key = keys[first % keys.length] ?? '';
  const inner = exchanged((before as Record<string, unknown>)[key], path, now);
  return Array.isArray(before)
    ? before.map((each, index) => (String(index) === key ? inner : each))
    : { ...before, [key]: inner };
}

const anyRow = fc.oneof(damaged, fc.dictionary(known, value, { maxKeys: 8 }));

describe('any rows', () => {
  it.each(Object.keys(readerMakers))('a reader of a %s never throws', (kind) => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 12 }), (all) => {
        const reader = readerMakers[kind]?.();
        const facts = all.flatMap((row) => reader?.read(row, { file: 'f', offset: 0 }) ?? []);
        for (const fact of facts) {
          expect(fact.at === null || !Number.isNaN(Date.parse(fact.at))).toBe(true);
          expect(fact.evidence).toMatch(/row at byte 0 of f$/);
          if (fact.kind === 'turn_ended') expect(fact.error !== null).toBe(fact.outcome === 'failed');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a row of nonsense is nothing', () => {
    for (const make of Object.values(readerMakers))
      for (const line of ['', 'null', '[1]', '"x"', '{"type":"user"}', '{"type":"event_msg"}', '{"a":', '{}'])
        expect(factsOf(make(), line)).toEqual([]);
  });
});

describe('the tools', () => {
  it('have their folder where the environment says', () => {
    const home = (name: (typeof toolNames)[number], environment: Record<string, string>) =>
      toolSelfReport(name).home(environment);
    expect(toolNames.map((name) => home(name, { HOME: '/h' }))).toEqual([
      '/h/.claude',
      '/h/.codex',
      '/h/.gemini',
    ]);
    expect(toolNames.map((name) => home(name, { HOME: '' }))).toEqual([null, null, null]);
    expect(home('claude', { HOME: '/h', CLAUDE_CONFIG_DIR: '/c' })).toBe('/c');
    expect(home('codex', { HOME: '/h', CODEX_HOME: '/c' })).toBe('/c');
    expect(home('gemini', { HOME: '/h', GEMINI_CLI_HOME: '/c' })).toBe('/c/.gemini');
  });
});
