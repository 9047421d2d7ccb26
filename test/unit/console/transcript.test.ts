import type { Schemas } from '@houmao/sdk/managed-agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyTranscript, type TurnTranscript, withPart } from '../../../console/src/transcript.js';

type TurnPart = Schemas['TurnPart'];
const at = { id: '1.0', at_utc: '2026-03-13T00:00:00Z' };
const text = (position: Schemas['TextPartData']['position'], said: string): TurnPart => ({
  ...at,
  kind: 'text',
  data: { text: said, position },
});
const use = (id: string | null, name = 'Bash'): TurnPart => ({
  ...at,
  kind: 'tool_use',
  data: { tool_use_id: id, name, summary: 'ls' },
});
const result = (id: string | null, summary: string, is_error: boolean | null = false): TurnPart => ({
  ...at,
  kind: 'tool_result',
  data: { tool_use_id: id, is_error, summary },
});
const of = (...parts: TurnPart[]): TurnTranscript => parts.reduce(withPart, emptyTranscript);

test('pieces of a message are one passage, and a replaced one is written again', () => {
  const said = of(
    text('begins', 'Hel'),
    text('continues', 'lo'),
    text('begins', 'x'),
    text('replaces', 'World'),
  );
  expect(said.passages).toEqual([
    { kind: 'text', text: 'Hello' },
    { kind: 'text', text: 'World' },
  ]);
});

test('pieces in any cut say the same as the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (pieces) => {
      const parts = pieces.map((piece, index) => text(index === 0 ? 'begins' : 'continues', piece));
      expect(of(...parts).passages).toEqual([{ kind: 'text', text: pieces.join('') }]);
    }),
  );
});

test('a result goes to the use with its id, or to the latest without a result', () => {
  const { passages } = of(use('a'), use('b'), result('a', 'first', true), result(null, 'second'));
  expect(passages).toMatchObject([
    { id: 'a', result: 'first', failed: true },
    { id: 'b', result: 'second', failed: false },
  ]);
  expect(of(result('none', 'lost')).passages).toEqual([]);
});

test('a kind that this page does not know changes nothing', () => {
  const later = { ...at, kind: 'hologram', data: {} } as unknown as TurnPart;
  expect(withPart(emptyTranscript, later)).toBe(emptyTranscript);
});

test('questions, notices and gaps stand where they came', () => {
  const { passages } = of(
    {
      ...at,
      kind: 'dialog_shown',
      data: { dialog_id: 'd', dialog_kind: 'permission', text: 'Proceed?', choices: [] },
    },
    { ...at, kind: 'notice', data: { severity: 'error', text: 'Retried' } },
    { ...at, kind: 'gap', data: { detail: 'Some are missing.' } },
  );
  expect(passages).toEqual([
    { kind: 'question', text: 'Proceed?' },
    { kind: 'note', text: 'Retried', bad: true },
    { kind: 'note', text: 'Some are missing.', bad: true },
  ]);
});
