import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PaneText } from '../../../src/run/pane-text.js';
import type { HeadlessDisplay } from '../../../src/session/manifest-facts.js';
import type { CanonicalEvent, CanonicalKind } from '../../../src/tools/adapter/tool-adapter.js';

const event = (kind: CanonicalKind, message: string, data = {}): CanonicalEvent => ({
  kind,
  message,
  data,
  provider: 'claude',
  provider_event_type: `a.${kind}`,
  turn_index: 3,
  timestamp_utc: '2026-01-01T00:00:00+00:00',
  session_id: 's-1',
  raw_payload: { raw: 'payload' },
});
const piece = (text: string) => event('assistant', text, { delta: true });
const kinds = [
  ...(['session', 'progress', 'reasoning', 'action_request', 'action_result', 'passthrough'] as const),
  ...(['assistant', 'diagnostic', 'completion'] as const),
];

function shown(display: HeadlessDisplay, events: readonly CanonicalEvent[]): string {
  const pane = new PaneText(display);
  return events.map((one) => pane.next(one)).join('');
}
const turn = kinds.map((kind) => event(kind, `of ${kind}`));

test('plain marks each line, and leaves out what the tool does on the side', () => {
  expect(shown({ style: 'plain', detail: 'concise' }, turn).split('\n')).toEqual([
    ...['[action] of action_request', '[result] of action_result', 'of assistant'],
    ...['[diagnostic] of diagnostic', '[complete] of completion', ''],
  ]);
});

test('in detail it has everything', () => {
  expect(shown({ style: 'plain', detail: 'detail' }, turn).split('\n')).toEqual([
    ...['[session] of session', '[progress] of progress', '[reasoning] of reasoning'],
    ...['[action] of action_request', '[result] of action_result', '[event] of passthrough', 'of assistant'],
    ...['[diagnostic] of diagnostic', '[complete] of completion', ''],
  ]);
});

test('fancy begins each line with a word', () => {
  expect(shown({ style: 'fancy', detail: 'detail' }, turn).split('\n')).toEqual([
    ...['Session: of session', 'Progress: of progress', 'Reasoning: of reasoning'],
    ...['Action: of action_request', 'Result: of action_result', 'Event: of passthrough', 'of assistant'],
    ...['Diagnostic: of diagnostic', 'Complete: of completion', ''],
  ]);
});

test('json is an object for each event, without what the tool itself wrote', () => {
  const [row, ...more] = shown({ style: 'json', detail: 'concise' }, [
    event('session', 'on the side'),
    event('assistant', 'two\nlines', { text: 'two\nlines' }),
  ])
    .trimEnd()
    .split('\n');
  expect(more).toEqual([]);
  expect(JSON.parse(String(row))).toEqual({
    kind: 'assistant',
    message: 'two\nlines',
    turn_index: 3,
    timestamp_utc: '2026-01-01T00:00:00+00:00',
    payload: {
      provider: 'claude',
      session_id: 's-1',
      provider_event_type: 'a.assistant',
      data: { text: 'two\nlines' },
    },
  });
});

describe('an answer that comes in pieces', () => {
  const answer = [piece('An '), piece('answer'), piece('.'), event('completion', 'success')];

  test('is one text, and what follows begins a line', () => {
    expect(shown({ style: 'plain', detail: 'concise' }, answer)).toBe('An answer.\n[complete] success\n');
  });

  test('that ends with a line of its own leaves no empty one', () => {
    const lines = [piece('An\n'), piece('answer.\n'), event('completion', 'success')];
    expect(shown({ style: 'fancy', detail: 'concise' }, lines)).toBe('An\nanswer.\nComplete: success\n');
  });

  test('is not cut by what is not shown', () => {
    const [first, ...others] = answer;
    const cut = [first!, event('progress', 'meanwhile'), ...others];
    expect(shown({ style: 'plain', detail: 'concise' }, cut)).toBe('An answer.\n[complete] success\n');
  });

  test('is an object for each piece in json', () => {
    const lines = shown({ style: 'json', detail: 'concise' }, answer).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(['An ', 'answer', '.', 'success']);
  });
});

const displays = fc.record<HeadlessDisplay>({
  style: fc.constantFrom('plain', 'json', 'fancy'),
  detail: fc.constantFrom('concise', 'detail'),
});
const events = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    message: fc.string({ unit: 'binary' }),
    delta: fc.boolean(),
  }),
);

test('nothing that a terminal obeys gets through, whatever a tool says', () => {
  fc.assert(
    fc.property(displays, events, (display, said) => {
      const text = shown(
        display,
        said.map(({ kind, message, delta }) => event(kind, message, { delta, message })),
      );
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});

test('detail shows every event, concise no other ones', () => {
  fc.assert(
    fc.property(fc.constantFrom<HeadlessDisplay['style']>('plain', 'json', 'fancy'), (style) => {
      for (const one of turn) {
        const all = shown({ style, detail: 'detail' }, [one]);
        expect(all).toContain(`of ${one.kind}`);
        expect(['', all]).toContain(shown({ style, detail: 'concise' }, [one]));
      }
    }),
  );
});
