import { describe, expect, it } from 'vitest';
import { pieceOf } from '../../../../src/tools/adapter/row-facts.js';
import { claudeAdapter } from '../../../../src/tools/claude/claude-adapter.js';
import { answerOf, cliOutput, draftsOf } from '../cli-fixture.js';

const kinds = (file: string) =>
  draftsOf('claude', file).map((draft) => `${draft.kind} ${draft.provider_event_type}`);
const completion = (file: string) => {
  const draft = draftsOf('claude', file).find(({ kind }) => kind === 'completion');
  if (draft === undefined) throw new Error(`no completion in ${file}`);
  return draft;
};

describe('claude rows', () => {
  it('plain turn', () => {
    const drafts = draftsOf('claude', '01-first.stdout');
    expect(drafts.map(({ kind, message }) => [kind, message])).toEqual([
      ['progress', 'init'],
      ['assistant', 'FAKEREPLY-9 <<hello one>>'],
      ['completion', 'FAKEREPLY-9 <<hello one>>'],
    ]);
    expect(drafts[1]?.data).toEqual({
      text: 'FAKEREPLY-9 <<hello one>>',
      model: 'claude-opus-5-5',
      parent_tool_use_id: null,
    });
    expect(drafts[1]?.raw_payload).toEqual({ type: 'text', text: 'FAKEREPLY-9 <<hello one>>' });
    expect(drafts[2]?.data).toMatchObject({
      status: 'success',
      result_text: 'FAKEREPLY-9 <<hello one>>',
      stop_reason: 'end_turn',
      num_turns: 1,
      usage: {
        input_tokens: 2685,
        output_tokens: 7,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      permission_denials: [],
    });
    expect(answerOf('claude', drafts)).toBe('FAKEREPLY-9 <<hello one>>');
  });

  it('a tool result in a user row is an action result', () => {
    const drafts = draftsOf('claude', '13-tool-bash-allowed.stdout');
    expect(drafts.map(({ kind }) => kind)).toEqual([
      'progress',
      'action_request',
      'action_result',
      'assistant',
      'completion',
    ]);
    expect(drafts[1]).toMatchObject({
      message: 'Bash(command=echo hi-from-tool, description=echo)',
      provider_event_type: 'assistant.tool_use',
      data: {
        action_id: 'toolu_fake_21',
        action_kind: 'tool_use',
        name: 'Bash',
        arguments: { command: 'echo hi-from-tool', description: 'echo' },
        arguments_summary: '(command=echo hi-from-tool, description=echo)',
      },
    });
    expect(drafts[2]).toMatchObject({
      message: 'hi-from-tool',
      provider_event_type: 'user.tool_result',
      data: {
        action_id: 'toolu_fake_21',
        status: 'success',
        result_summary: 'hi-from-tool',
        is_error: false,
      },
    });
  });

  it('a refused tool is an error result, explained by a progress row', () => {
    const drafts = draftsOf('claude', '12-tool-bash-denied.stdout');
    const refusal = drafts.find(
      ({ provider_event_type }) => provider_event_type === 'system.permission_denied',
    );
    expect(refusal?.message).toMatch(/^touch in .* needs approval/);
    expect(refusal?.message).toHaveLength(160);
    const result = drafts.find(({ kind }) => kind === 'action_result');
    expect(result?.data).toMatchObject({ status: 'error', is_error: true });
  });

  it('the pieces of a text are events of their own, and do not count as an answer', () => {
    expect(new Set(kinds('06-partial.stdout'))).toEqual(
      new Set([
        'progress system.init',
        'progress system.status',
        'progress stream_event.text_delta',
        'assistant assistant.text',
        'completion result',
      ]),
    );
    const pieces = draftsOf('claude', '06-partial.stdout').filter((draft) => pieceOf(draft) !== null);
    expect(pieces.map(pieceOf)).toEqual(['FAKEREPLY-13 ', '<<partial ', 'please>>']);
    expect(pieces.every((draft) => claudeAdapter.answerPart(draft) === null)).toBe(true);
  });

  it('an API error is reported by a retry row and a failed completion, and is no answer', () => {
    const drafts = draftsOf('claude', '15-err401-maxretries1.stdout');
    expect(drafts.map(({ kind }) => kind)).toEqual(['progress', 'progress', 'assistant', 'completion']);
    expect(drafts[1]?.message).toBe('API error 401 (authentication_failed), retry 1 of 1 in 600 ms');
    expect(drafts[1]?.data).toMatchObject({ attempt: 1, max_retries: 1, error_status: 401 });
    expect(drafts[3]).toMatchObject({
      message: 'Failed to authenticate. API Error: 401 fake authentication_error',
      data: { status: 'error', subtype: 'success', api_error_status: 401 },
    });
    expect(answerOf('claude', drafts)).toBe('');
  });

  it('an interrupted turn says so, and keeps the tokens that only modelUsage has', () => {
    expect(completion('20-sigINT.stdout')).toMatchObject({
      message: 'The turn was interrupted.',
      data: {
        status: 'error',
        subtype: 'error_during_execution',
        usage: { input_tokens: 2688, output_tokens: 1 },
      },
    });
    expect(kinds('20-sigINT.stdout')).toEqual([
      'progress system.init',
      'passthrough user',
      'completion result',
    ]);
  });

  it.each([
    [
      { subtype: 'error_max_turns', is_error: false },
      'error_max_turns',
      'The turn reached its limit of model calls.',
    ],
    [{ subtype: 'success', result: '', usage: { output_tokens: 3 } }, 'success', 'success: 3 output tokens'],
    [{}, 'success', 'success'],
    [{ is_error: true, subtype: 'odd' }, 'error', 'Claude Code reported that the turn failed (odd).'],
  ])('result row %j', (row, status, message) => {
    const [draft] = claudeAdapter.readRow({ type: 'result', ...row });
    expect(draft).toMatchObject({ kind: 'completion', message, data: { status } });
  });

  it('thinking, nested tool results and unknown blocks', () => {
    const row = (type: string, ...content: unknown[]) =>
      claudeAdapter.readRow({ type, message: { content }, parent_tool_use_id: 'toolu_9' });
    expect(row('assistant', { type: 'thinking', thinking: 'a\n b', signature: 's' })).toMatchObject([
      {
        kind: 'reasoning',
        message: 'a b',
        data: { text: 'a\n b', signature: 's', parent_tool_use_id: 'toolu_9' },
      },
    ]);
    const nested = { type: 'tool_result', content: [{ type: 'text', text: 'one' }, { type: 'image' }] };
    expect(row('user', nested, { type: 'text', text: 'note' })).toMatchObject([
      { kind: 'action_result', message: 'one [image]' },
      { kind: 'passthrough', provider_event_type: 'user.text' },
    ]);
    expect(row('assistant', { type: 'server_tool' })).toMatchObject([
      { kind: 'passthrough', provider_event_type: 'assistant.server_tool' },
    ]);
  });
});

describe('claude evidence', () => {
  it('the init row shows that the prompt was taken, nothing else does', () => {
    const evidence = draftsOf('claude', '01-first.stdout').map((draft) => claudeAdapter.promptTaken(draft));
    expect(evidence).toEqual(['system/init row of session 3a9d29a7-2ed4-41b9-9774-85cb761d62c2', null, null]);
  });

  it('a subagent says nothing to the user', () => {
    const [draft] = claudeAdapter.readRow({
      type: 'assistant',
      message: { content: [{ type: 'text', text: 'from below' }] },
      parent_tool_use_id: 'toolu_1',
    });
    expect(draft?.kind).toBe('assistant');
    expect(draft && claudeAdapter.answerPart(draft)).toBeNull();
  });

  it('knows a lost conversation by its stderr or by its result row', () => {
    const stderrTail = cliOutput('claude', '04-resume-unknown.stderr');
    const lastError = completion('04-resume-unknown.stdout').message;
    expect(lastError).toBe('No conversation found with session ID: 00000000-0000-4000-8000-000000000000');
    expect(claudeAdapter.sessionLost({ lastError: null, stderrTail, exitCode: 1 })).toBe(true);
    expect(claudeAdapter.sessionLost({ lastError, stderrTail: '', exitCode: 1 })).toBe(true);
    const other = completion('15-err401-maxretries1.stdout').message;
    expect(claudeAdapter.sessionLost({ lastError: other, stderrTail: 'x', exitCode: 1 })).toBe(false);
  });
});
