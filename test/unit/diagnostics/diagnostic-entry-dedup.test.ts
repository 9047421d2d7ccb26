import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StampedEntry } from '../../../src/diagnostics/diagnostic-entry.js';
import { deduplicate, noRun, type RepeatRun, summaries } from '../../../src/diagnostics/diagnostic-entry.js';

const entry = (key: string | null, at: number): StampedEntry => ({
  level: key === null ? 'info' : 'warning',
  event: `e-${key}`,
  fields: {},
  dedupKey: key,
  timestampUtc: String(at).padStart(6, '0'),
});

/** The entries that are written for a row of keys, the end of the log included. */
function written(keys: readonly (string | null)[]): StampedEntry[] {
  let run: RepeatRun = noRun;
  const all: StampedEntry[] = [];
  keys.forEach((key, at) => {
    const step = deduplicate(run, entry(key, at));
    run = step.run;
    all.push(...step.write);
  });
  return [...all, ...summaries(run)];
}
const short = (entries: readonly StampedEntry[]) =>
  entries.map(({ event, fields }) =>
    event === 'diagnostic.dedup_summary' ? `${fields.first_event}×${fields.suppressed_count}` : event,
  );

describe('what repeats is counted', () => {
  test.each<[string, (string | null)[], string[]]>([
    ['infos always', [null, null], ['e-null', 'e-null']],
    ['a warning again and again', ['a', 'a', 'a'], ['e-a', 'e-a×2']],
    ['a pair again and again', ['a', 'b', 'a', 'b', 'a', 'b'], ['e-a', 'e-b', 'e-a×2', 'e-b×2']],
    ['an info ends the run', ['a', 'a', null, 'a'], ['e-a', 'e-a×1', 'e-null', 'e-a']],
    ['a third key ends the run', ['a', 'b', 'a', 'c'], ['e-a', 'e-b', 'e-a×1', 'e-c']],
    ['nothing counted, no summary', ['a', 'b', 'c'], ['e-a', 'e-b', 'e-c']],
  ])('%s', (_title, keys, expected) => {
    expect(short(written(keys))).toEqual(expected);
  });

  test('a summary names the first and the last', () => {
    expect(written(['a', 'a', 'a']).at(-1)).toMatchObject({
      level: 'warning',
      fields: {
        dedup_key: 'a',
        first_timestamp_utc: '000000',
        last_timestamp_utc: '000002',
        suppressed_count: 2,
      },
    });
  });

  test('every entry is either written or counted, once, and infos are never held back', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', null)), (keys) => {
        const entries = written(keys);
        const direct = entries.filter(({ event }) => event !== 'diagnostic.dedup_summary');
        const counted = entries
          .map(({ fields }) => Number(fields.suppressed_count ?? 0))
          .reduce((sum, count) => sum + count, 0);
        expect(direct.length + counted).toBe(keys.length);
        expect(direct.filter(({ level }) => level === 'info')).toHaveLength(
          keys.filter((key) => key === null).length,
        );
      }),
    );
  });
});
