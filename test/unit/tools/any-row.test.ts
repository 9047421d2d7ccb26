import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLine, stderrDraft } from '../../../src/tools/adapter/event-drafts.js';
import { sessionIdOf } from '../../../src/tools/adapter/row-facts.js';
import type { CanonicalDraft } from '../../../src/tools/adapter/tool-adapter.js';
import { toolAdapter, toolNames } from '../../../src/tools/tool-registry.js';
import { cliOutput } from './cli-fixture.js';

/** Field names and values that the adapters look at, so that random rows reach deep into them. */
const knownKeys = fc.constantFrom(
  ...[
    'type',
    'subtype',
    'message',
    'content',
    'item',
    'text',
    'thinking',
    'name',
    'input',
    'tool_use_id',
    'is_error',
  ],
  ...[
    'result',
    'errors',
    'usage',
    'modelUsage',
    'stats',
    'error',
    'status',
    'role',
    'delta',
    'command',
    'changes',
  ],
  ...[
    'arguments',
    'items',
    'exit_code',
    'aggregated_output',
    'session',
    'session_id',
    'summary',
    'parameters',
  ],
);
const knownValues = fc.constantFrom(
  ...[
    'assistant',
    'user',
    'system',
    'result',
    'message',
    'init',
    'tool_use',
    'tool_result',
    'thinking',
    'error',
  ],
  ...['thread.started', 'turn.started', 'turn.completed', 'turn.failed', 'item.started', 'item.updated'],
  ...['item.completed', 'agent_message', 'reasoning', 'todo_list', 'command_execution', 'mcp_tool_call'],
  ...['web_search', 'file_change', 'collab_tool_call', 'text', 'api_retry', 'success', 'in_progress'],
);
const { value: jsonValue } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ maxDepth: 2 }), knownValues, tie('list'), tie('row')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  row: fc.dictionary(fc.oneof(knownKeys, fc.string()), tie('value'), { maxKeys: 8 }),
}));
const row = fc
  .tuple(
    knownValues,
    fc.dictionary(fc.oneof({ arbitrary: knownKeys, weight: 4 }, fc.string()), jsonValue, { maxKeys: 10 }),
  )
  .map(([type, fields]): Record<string, unknown> => ({ type, ...fields }));

const kinds = new Set([
  ...[
    'session',
    'assistant',
    'reasoning',
    'action_request',
    'action_result',
    'progress',
    'completion',
    'diagnostic',
  ],
  'passthrough',
]);

function checkDraft(draft: CanonicalDraft): void {
  expect(kinds).toContain(draft.kind);
  expect(typeof draft.message).toBe('string');
  expect(typeof draft.provider_event_type).toBe('string');
  expect(draft.data).toBeTypeOf('object');
  if (draft.kind !== 'assistant') expect(draft.message).not.toMatch(/[\n\r\t]/);
  if (draft.kind === 'completion') expect(draft.data.status).toBeTypeOf('string');
}

/** Every text in it, at any depth. */
const allTexts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(allTexts)
      : [];

describe('any row', () => {
  it.each(toolNames)('%s makes drafts of it and never throws', (tool) => {
    const adapter = toolAdapter(tool);
    fc.assert(
      fc.property(row, (value) => {
        for (const draft of adapter.readRow(value)) {
          checkDraft(draft);
          const evidence = adapter.promptTaken(draft);
          if (evidence !== null) expect(evidence).toMatch(/ row\b/);
          const part = adapter.answerPart(draft);
          if (part !== null && part.text !== '') expect(['assistant', 'completion']).toContain(draft.kind);
        }
        const id = sessionIdOf(value);
        if (id !== null)
          expect([id.length > 0, allTexts(value)]).toEqual([true, expect.arrayContaining([id])]);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(toolNames)('%s reads any line', (tool) => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        for (const draft of readLine(line, toolAdapter(tool))) checkDraft(draft);
      }),
    );
  });

  it.each(toolNames)('%s survives a row nested a hundred thousand deep', (tool) => {
    const deep = `${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`;
    const line = `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"T","input":${deep}}]},"content":${deep}}`;
    expect(() => readLine(line, toolAdapter(tool)).forEach(checkDraft)).not.toThrow();
  });
});

describe('lines that are no rows', () => {
  const claude = toolAdapter('claude');

  it('what is not JSON is raw text', () => {
    expect(readLine('{"type":"resu', claude)).toEqual([
      {
        kind: 'diagnostic',
        message: '{"type":"resu',
        provider_event_type: 'raw_text',
        data: { severity: 'warning', text: '{"type":"resu' },
        raw_payload: null,
      },
    ]);
  });

  it.each(toolNames)('text of a hook or wrapper before a row of %s hides nothing of it', (tool) => {
    const adapter = toolAdapter(tool);
    const row = JSON.stringify({ type: 'result', subtype: 'success', result: 'a {"b"} c', session_id: 's' });
    fc.assert(
      fc.property(fc.string(), (some) => {
        const text = `> ${some}`;
        fc.pre(!text.includes('{"'));
        expect(readLine(`${text}${row}`, adapter)).toEqual([
          ...readLine(text, { readRow: () => [] }),
          ...readLine(row, adapter),
        ]);
      }),
    );
    const [noise, ...drafts] = readLine(`{"not a row"} {"x":1} ${row}\r`, adapter);
    expect([noise?.provider_event_type, drafts]).toEqual(['raw_text', readLine(row, adapter)]);
  });

  it('JSON that is no object is a non-mapping', () => {
    expect(readLine('[1, 2]', claude)).toMatchObject([
      { kind: 'diagnostic', provider_event_type: 'non_mapping', raw_payload: { value: [1, 2] } },
    ]);
    expect(readLine('null', claude)).toMatchObject([
      { provider_event_type: 'non_mapping', raw_payload: { value: null } },
    ]);
  });

  it('an empty line is nothing', () => {
    expect(readLine('', claude)).toEqual([]);
    expect(readLine(' \r', claude)).toEqual([]);
  });

  it('a huge line is cut', () => {
    const [draft] = readLine('x'.repeat(1e6), claude);
    expect(draft?.message).toBe(`${'x'.repeat(157)}...`);
    expect(String(draft?.data.text).length).toBe(4096);
    const [list] = readLine(`[${'1,'.repeat(1e5)}1]`, claude);
    expect(JSON.stringify(list).length).toBeLessThan(10_000);
  });

  it('a line of stderr says where it came from', () => {
    expect(stderrDraft('WARN \t x')).toEqual({
      kind: 'diagnostic',
      message: 'WARN x',
      provider_event_type: 'stderr',
      data: { severity: 'warning', text: 'WARN \t x', stream: 'stderr' },
      raw_payload: { line: 'WARN \t x' },
    });
  });
});

describe('session ids', () => {
  it('come from the first of the known places', () => {
    expect(sessionIdOf({ thread: { id: 'f' }, session: { id: 'e' }, threadId: 'd', thread_id: 'c' })).toBe(
      'c',
    );
    expect(sessionIdOf({ sessionId: 'b', session_id: 'a', thread_id: 'c' })).toBe('a');
    expect(sessionIdOf({ session_id: '', sessionId: 'b' })).toBe('b');
    expect(sessionIdOf({ session_id: 5, session: { id: 'e' }, thread: { id: 'f' } })).toBe('e');
    expect(sessionIdOf({ thread: { id: 'f' } })).toBe('f');
    expect(sessionIdOf({ data: { session_id: 'a' } })).toBeNull();
  });

  it('an unknown id that claude repeats is none', () => {
    const echo = JSON.parse(cliOutput('claude', '04-resume-unknown.stdout'));
    expect(echo.session_id).toBe('00000000-0000-4000-8000-000000000000');
    expect(sessionIdOf(echo)).toBeNull();
    expect(sessionIdOf({ ...echo, errors: ['other'] })).toBe(echo.session_id);
  });
});
