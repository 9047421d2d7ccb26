import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PartWriter } from '../../../src/run/part-file.js';
import { isRead, pageOf, placeOf, type TurnPart } from '../../../src/turn/part-pages.js';
import type { DeliveryState, TurnRow } from '../../../src/turn/turn-table.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const folder = temporaryFolder();
const ids = Array.from({ length: 200 }, (_, index) => `turn-${index}`);

/** A turn that a test brings forward. */
class Turn {
  readonly path = join(folder, `${ids.pop()}.jsonl`);
  readonly #writer = new PartWriter(this.path, new VirtualClock('2026-03-13T00:00:00Z'), (fault) => {
    throw new Error(fault);
  });
  row: TurnRow = {
    turn_id: 'turn-1',
    turn_index: 1,
    origin: 'queue',
    request_id: null,
    tool: 'claude',
    state: 'running',
    started_at_utc: '2026-03-13T00:00:00+00:00',
    ended_at_utc: null,
    delivery_state: 'claimed',
    delivery_at_utc: '2026-03-13T00:00:00+00:00',
    delivery_evidence: null,
    outcome: null,
    provider_session_id: null,
    model: null,
    exit_code: null,
    signal: null,
    error_code: null,
    error_detail: null,
    answer_text: null,
    answer_truncated: 0,
    processes_json: '[]',
    usage_json: null,
  };

  says(text: string): void {
    this.#writer.write({ kind: 'text', data: { text, position: 'begins' } });
  }

  delivery(state: DeliveryState): void {
    this.row = { ...this.row, delivery_state: state };
  }

  ends(): void {
    this.#writer.close();
    this.row = { ...this.row, state: 'ended', outcome: 'completed', answer_text: 'done' };
  }

  page(after?: string) {
    return pageOf({ row: this.row, parts: this.path, artifacts: () => ['a/file'] }, placeOf(after));
  }

  /** Everything behind a part, page by page. */
  rest(after?: string): TurnPart[] {
    const parts: TurnPart[] = [];
    for (let place = after; ; ) {
      const page = this.page(place);
      if (page.parts.length === 0) return parts;
      parts.push(...page.parts);
      place = page.next_after;
    }
  }
}

const namesOf = (parts: readonly TurnPart[]): string[] =>
  parts.map((part) => {
    if (part.kind === 'text') return part.data.text;
    return part.kind === 'delivery' ? part.data.state : part.kind;
  });

describe('a turn', () => {
  test('has its delivery, its parts and its end with the record', () => {
    const turn = new Turn();
    expect(namesOf(turn.page().parts)).toEqual(['claimed']);
    turn.delivery('confirmed');
    turn.says('one');
    expect(namesOf(turn.rest())).toEqual(['confirmed', 'one']);
    turn.ends();
    const parts = turn.rest();
    expect(namesOf(parts)).toEqual(['confirmed', 'one', 'ended']);
    expect(parts.at(-1)?.data).toMatchObject({
      outcome: 'completed',
      answer: { text: 'done' },
      artifacts: ['a/file'],
    });
  });

  test('says nothing before the sign that the agent took the prompt, unless it ends without one', () => {
    const turn = new Turn();
    turn.says('early');
    turn.delivery('handed_over');
    expect(namesOf(turn.rest())).toEqual(['handed_over']);
    turn.delivery('confirmed');
    expect(namesOf(turn.rest())).toEqual(['confirmed', 'early']);
    const unconfirmed = new Turn();
    unconfirmed.says('all the same');
    unconfirmed.delivery('unconfirmed');
    unconfirmed.ends();
    expect(namesOf(unconfirmed.rest())).toEqual(['unconfirmed', 'all the same', 'ended']);
  });

  test('that stored nothing has its end at once', () => {
    const turn = new Turn();
    turn.delivery('failed');
    turn.ends();
    expect(namesOf(turn.rest())).toEqual(['failed', 'ended']);
  });

  test('has its end behind all its parts, however many there are', () => {
    const turn = new Turn();
    for (let index = 0; index < 450; index += 1) turn.says(`${index}`);
    turn.ends();
    const parts = turn.rest();
    expect(namesOf(parts).slice(1, -1)).toEqual(Array.from({ length: 450 }, (_, index) => `${index}`));
    expect(parts.at(-1)?.kind).toBe('ended');
  });

  test('is read when its end is', () => {
    const turn = new Turn();
    turn.ends();
    const end = turn.rest().at(-1)?.id;
    expect(isRead(placeOf(end))).toBe(true);
    expect(turn.page(end)).toMatchObject({ parts: [], next_after: end });
    expect(isRead(placeOf(undefined))).toBe(false);
  });
});

const textsOf = (parts: readonly TurnPart[]) => parts.filter(({ kind }) => kind === 'text');

test('a reader that goes on behind any part misses nothing and gets nothing twice', () => {
  const step = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => ({ do: 'says' as const, text })),
    fc
      .constantFrom<DeliveryState>('handed_over', 'confirmed')
      .map((state) => ({ do: 'delivery' as const, state })),
    fc.constant({ do: 'reads' as const }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const turn = new Turn();
      const seen: TurnPart[] = [];
      let said = 0;
      for (const each of steps) {
        if (each.do === 'says') {
          turn.says(each.text);
          said += 1;
        } else if (each.do === 'delivery') {
          if (turn.row.delivery_state !== 'confirmed') turn.delivery(each.state);
        } else seen.push(...turn.rest(seen.at(-1)?.id));
      }
      turn.delivery('confirmed');
      seen.push(...turn.rest(seen.at(-1)?.id));
      turn.ends();
      seen.push(...turn.rest(seen.at(-1)?.id));
      expect(seen.filter(({ kind }) => kind === 'text')).toHaveLength(said);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      expect(seen.at(-1)?.kind).toBe('ended');
      // From each part on, the parts that are stored come in the same order, with the same ids.
      for (const [index, { id }] of seen.entries())
        expect(textsOf(turn.rest(id))).toEqual(textsOf(seen.slice(index + 1)));
    }),
    { numRuns: 60 },
  );
});
