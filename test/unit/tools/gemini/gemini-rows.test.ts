import { describe, expect, it } from 'vitest';
import { geminiAdapter } from '../../../../src/tools/gemini/gemini-adapter.js';
import { answerOf, cliOutput, draftsOf } from '../cli-fixture.js';

describe('gemini rows', () => {
  it('plain turn: the echoed prompt is dropped, the pieces make the answer', () => {
    const drafts = draftsOf('gemini', '01-first.stdout');
    expect(drafts.map(({ kind, message }) => [kind, message])).toEqual([
      ['session', 'session f44c85d2-4118-42a7-82bf-25eae18a1687, model auto'],
      ['assistant', 'FAKEREPLY-41 '],
      ['assistant', '<<hello '],
      ['assistant', 'one>>'],
      ['completion', 'success: 345 input tokens, 20 output tokens, 365 total tokens, 0 tool calls'],
    ]);
    expect(drafts[1]?.data).toEqual({ text: 'FAKEREPLY-41 ', delta: true, role: 'assistant' });
    expect(drafts[4]?.data).toEqual({
      status: 'success',
      error: null,
      usage: {
        input_tokens: 345,
        cached_input_tokens: 0,
        output_tokens: 20,
        total_tokens: 365,
        tool_calls: 0,
        duration_ms: 137,
      },
    });
    expect(answerOf('gemini', drafts)).toBe('FAKEREPLY-41 <<hello one>>');
  });

  it('a tool is a request and a result, and the answer is what comes after', () => {
    const drafts = draftsOf('gemini', '14-tool-yolo.stdout');
    expect(drafts.slice(1, 3)).toMatchObject([
      {
        kind: 'action_request',
        message: 'run_shell_command(command=echo hi-tool, description=e)',
        data: { name: 'run_shell_command', arguments: { command: 'echo hi-tool', description: 'e' } },
      },
      { kind: 'action_result', message: 'hi-tool', data: { status: 'success', error: null } },
    ]);
    expect(drafts[1]?.data.action_id).toBe(drafts[2]?.data.action_id);
    const before = geminiAdapter.readRow({ type: 'message', role: 'assistant', content: 'I will look.' });
    expect(answerOf('gemini', [...before, ...drafts])).toMatch(/^FAKEREPLY-94 /);
  });

  it('a whole message starts the answer over', () => {
    const rows = ['one', 'two'].flatMap((content) =>
      geminiAdapter.readRow({ type: 'message', role: 'assistant', content }),
    );
    expect(answerOf('gemini', rows)).toBe('two');
  });

  it('a failed tool tells its error', () => {
    const result = draftsOf('gemini', '13-tool-default.stdout').find(({ kind }) => kind === 'action_result');
    expect(result?.message).toMatch(/^Tool "run_shell_command" not found\./);
    expect(result?.data).toMatchObject({ status: 'error', error: { type: 'tool_not_registered' } });
  });

  it.each([
    ['09-err401.stdout', 'API error: 401 API key not valid (fake)'],
    [
      '17-err429-maxAttempts2.stdout',
      'API error: fake 429 error Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method',
    ],
  ])('a failed turn ends with the reason: %s', (file, message) => {
    expect(draftsOf('gemini', file).at(-1)).toMatchObject({
      kind: 'completion',
      message,
      data: { status: 'error' },
    });
  });

  it('error rows keep their severity', () => {
    const row = (severity: string) =>
      geminiAdapter.readRow({ type: 'error', severity, message: 'loop detected' });
    expect(row('warning')).toMatchObject([
      { kind: 'diagnostic', data: { severity: 'warning', text: 'loop detected' } },
    ]);
    expect(row('error')).toMatchObject([{ kind: 'diagnostic', data: { severity: 'error' } }]);
  });
});

describe('gemini evidence', () => {
  it('the init row shows that the prompt was taken, nothing else does', () => {
    const evidence = draftsOf('gemini', '01-first.stdout').map((draft) => geminiAdapter.promptTaken(draft));
    expect(evidence).toEqual([
      'init row of session f44c85d2-4118-42a7-82bf-25eae18a1687',
      null,
      null,
      null,
      null,
    ]);
  });

  it('knows a lost conversation by exit code and stderr together', () => {
    const stderrTail = cliOutput('gemini', '04-resume-unknown.stderr');
    expect(geminiAdapter.sessionLost({ lastError: null, stderrTail, exitCode: 42 })).toBe(true);
    expect(geminiAdapter.sessionLost({ lastError: null, stderrTail, exitCode: 1 })).toBe(false);
    expect(
      geminiAdapter.sessionLost({ lastError: null, stderrTail: 'No input provided', exitCode: 42 }),
    ).toBe(false);
  });
});
