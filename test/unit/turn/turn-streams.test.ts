import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EventStream } from '../../../src/contract/event-stream.js';
import { systemClock } from '../../../src/foundation/clock.js';
import { PartWriter } from '../../../src/run/part-file.js';
import type { StreamedTurn, TurnPartPage } from '../../../src/turn/part-pages.js';
import { type PartsWanted, TurnStreams } from '../../../src/turn/turn-streams.js';
import type { TurnRow } from '../../../src/turn/turn-table.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const streams = new TurnStreams(systemClock);
let row: Pick<TurnRow, 'turn_id' | 'state' | 'delivery_state'>;
let looks: number;
let turns = 0;
let writer: PartWriter;

beforeEach(() => {
  looks = 0;
  turns += 1;
  row = { turn_id: `turn-${turns}`, state: 'running', delivery_state: 'confirmed' };
  writer = new PartWriter(pathOf(), systemClock, (fault) => expect.fail(fault));
});
afterEach(() => writer.close());

const pathOf = () => join(folder, row.turn_id, 'parts.jsonl');
const find = (): StreamedTurn => {
  looks += 1;
  return {
    row: {
      ...row,
      delivery_at_utc: '',
      delivery_evidence: null,
      answer_text: null,
      usage_json: null,
    } as TurnRow,
    parts: pathOf(),
    artifacts: () => [],
  };
};
const says = (text: string) => writer.write({ kind: 'text', data: { text, position: 'begins' } });
const wanted = (changes: Partial<PartsWanted> = {}): PartsWanted => ({
  after: undefined,
  waitSeconds: 60,
  streams: false,
  signal: new AbortController().signal,
  ...changes,
});
const page = async (changes: Partial<PartsWanted> = {}): Promise<TurnPartPage> =>
  (await streams.answer({ key: row.turn_id, find }, wanted(changes))) as TurnPartPage;

describe('a page', () => {
  test('comes at once with the parts that there are, and as soon as there is one', async () => {
    says('one');
    const first = await page();
    expect(first.parts.map(({ kind }) => kind)).toEqual(['delivery', 'text']);
    const next = page({ after: first.next_after });
    says('two');
    expect((await next).parts).toMatchObject([{ data: { text: 'two' } }]);
  });

  test('comes when only the record changes, at the latest at the next look', async () => {
    row.delivery_state = 'handed_over';
    const { next_after } = await page();
    const next = page({ after: next_after });
    row.delivery_state = 'confirmed';
    streams.look();
    expect((await next).parts).toMatchObject([{ kind: 'delivery', data: { state: 'confirmed' } }]);
  });

  test('comes at once when something changes just before the wait begins', async () => {
    row.delivery_state = 'handed_over';
    const { next_after } = await page();
    // Under a key that nobody has read: the first look of a reader finds nothing; the one with which its wait begins does.
    let found = 0;
    const changing = (): StreamedTurn => {
      found += 1;
      if (found === 3) row.delivery_state = 'confirmed';
      return find();
    };
    const answer = await streams.answer(
      { key: `${row.turn_id}-changing`, find: changing },
      wanted({ after: next_after }),
    );
    expect(answer).toMatchObject({ parts: [{ kind: 'delivery', data: { state: 'confirmed' } }] });
    expect(found).toBeLessThan(6);
  });

  test('is empty at the end of the wait, and when the caller leaves', async () => {
    const { next_after } = await page();
    expect(await page({ after: next_after, waitSeconds: 0 })).toMatchObject({ parts: [], next_after });
    expect(await page({ after: next_after, waitSeconds: 0.05 })).toMatchObject({ parts: [] });
    const leaving = new AbortController();
    const left = page({ after: next_after, signal: leaving.signal });
    leaving.abort();
    expect((await left).parts).toEqual([]);
  });

  test('is one for all readers that wait at one place', async () => {
    const { next_after } = await page();
    const waiting = Array.from({ length: 100 }, () => page({ after: next_after }));
    says('for all');
    const pages = await Promise.all(waiting);
    expect(pages[0]?.parts).toMatchObject([{ data: { text: 'for all' } }]);
    expect(new Set(pages).size).toBe(1);
  });

  test('of a turn that nobody reads any more is not looked at', async () => {
    const { next_after } = await page();
    await page({ after: next_after, waitSeconds: 0.05 });
    says('unread');
    const looksNow = (): number => {
      const before = looks;
      streams.look();
      return looks - before;
    };
    await expect.poll(looksNow).toBe(0);
  });

  test('fails with the fault of the record, also for a reader that waits', async () => {
    const { next_after } = await page();
    let isBroken = false;
    const broken = (): StreamedTurn => {
      if (isBroken) throw new Error('the record cannot be read');
      return find();
    };
    const reading = streams.answer({ key: 'broken', find: broken }, wanted({ after: next_after }));
    isBroken = true;
    says('unread');
    await expect(reading).rejects.toThrow('the record cannot be read');
  });
});

describe('a stream', () => {
  test('has every part once, to the end of the turn', async () => {
    const stream = await streams.answer({ key: row.turn_id, find }, wanted({ streams: true }));
    if (!(stream instanceof EventStream)) return expect.fail('no stream');
    const seen: unknown[] = [];
    says('one');
    for await (const each of stream.pages) {
      for (const { event, data } of stream.eventsOf(each)) {
        seen.push(event);
        if (event === 'text' && (data as { data: { text: string } }).data.text === 'one') says('two');
        else if (event === 'text') row.state = 'ended';
      }
      streams.look();
    }
    expect(seen).toEqual(['delivery', 'text', 'text', 'ended']);
  });

  test('that was read to its end says so, and there is none of an unknown turn', async () => {
    row.state = 'ended';
    const source = { key: row.turn_id, find };
    let after: string | undefined;
    for (let read = await page(); read.parts.length > 0; read = await page({ after }))
      after = read.next_after;
    expect(await streams.answer(source, wanted({ streams: true, after }))).toBe('read');
    const nothing = { key: 'unknown', find: () => null };
    expect(await streams.answer(nothing, wanted({ streams: true }))).toBeNull();
    expect(await streams.answer(nothing, wanted())).toBeNull();
  });
});
