import { describe, expect, it } from 'vitest';
import { codexAdapter } from '../../../../src/tools/codex/codex-adapter.js';
import { answerOf, cliOutput, draftsOf } from '../cli-fixture.js';

const item = (phase: string, fields: Record<string, unknown>) =>
  codexAdapter.readRow({ type: `item.${phase}`, item: { id: 'item_1', ...fields } });

describe('codex rows', () => {
  it('plain turn: the model remark stays a diagnostic and the turn a success', () => {
    const drafts = draftsOf('codex', '01-first.stdout');
    expect(drafts.map(({ kind, provider_event_type }) => [kind, provider_event_type])).toEqual([
      ['session', 'thread.started'],
      ['diagnostic', 'item.completed.error'],
      ['progress', 'turn.started'],
      ['assistant', 'item.completed.agent_message'],
      ['completion', 'turn.completed'],
    ]);
    expect(drafts[0]?.data).toEqual({ session_id: '01a1ffc8-c3a7-7933-b8b3-e24f88584f6a' });
    expect(drafts[1]?.data).toMatchObject({ severity: 'error', item_id: 'item_0' });
    expect(drafts[4]).toMatchObject({
      message: 'success: 5320 input tokens, 7 output tokens in this conversation',
      data: {
        status: 'success',
        usage_scope: 'conversation',
        usage: {
          input_tokens: 5320,
          cache_write_input_tokens: 0,
          output_tokens: 7,
          reasoning_output_tokens: 0,
        },
      },
    });
    expect(answerOf('codex', drafts)).toBe('FAKEREPLY-26 <<hello one>>');
  });

  it('a command is a request and a result under one id', () => {
    const drafts = draftsOf('codex', '12-tool-exec_command.stdout').filter(({ kind }) =>
      kind.startsWith('action'),
    );
    expect(drafts).toMatchObject([
      {
        kind: 'action_request',
        message: "command(/bin/bash -lc 'echo hi-tool')",
        provider_event_type: 'item.started.command_execution',
        data: {
          action_id: 'item_1',
          action_kind: 'command_execution',
          command: "/bin/bash -lc 'echo hi-tool'",
        },
      },
      {
        kind: 'action_result',
        message: 'hi-tool',
        provider_event_type: 'item.completed.command_execution',
        data: { action_id: 'item_1', status: 'success', exit_code: 0, result_summary: 'hi-tool' },
      },
    ]);
  });

  it('a failed turn ends with the reason', () => {
    const drafts = draftsOf('codex', '06-err401.stdout');
    expect(drafts.map(({ kind }) => kind)).toEqual([
      'session',
      'diagnostic',
      'progress',
      'diagnostic',
      'diagnostic',
      'completion',
    ]);
    expect(drafts.at(-1)).toMatchObject({
      message: 'unexpected status 401 Unauthorized: fake 401 error, url: http://127.0.0.1:8099/v1/responses',
      data: { status: 'error' },
    });
  });

  it('unwraps an error that is a JSON body', () => {
    const message = '{"type":"error","status":400,"error":{"message":"no such model"}}';
    expect(codexAdapter.readRow({ type: 'turn.failed', error: { message } })[0]?.message).toBe(
      '400 no such model',
    );
  });

  it('results without a request, failures, and what is dropped', () => {
    expect(
      item('completed', { type: 'command_execution', command: 'false', exit_code: 1, status: 'failed' }),
    ).toMatchObject([
      { kind: 'action_result', message: 'exit code 1', data: { status: 'error', exit_code: 1 } },
    ]);
    expect(item('updated', { type: 'command_execution', status: 'in_progress' })).toEqual([]);
    expect(item('completed', { type: 'web_search', status: 'in_progress' })).toMatchObject([
      { kind: 'action_result' },
    ]);
    expect(item('updated', { type: 'collab_tool_call', tool: 'spawn', status: 'in_progress' })).toMatchObject(
      [{ kind: 'progress' }],
    );
    expect(item('started', { type: 'agent_message', text: 'x' })).toEqual([]);
    expect(item('completed', { type: 'agent_message', text: ' ' })).toEqual([]);
    expect(codexAdapter.readRow({ type: 'item.completed' })).toMatchObject([
      { kind: 'diagnostic', data: { severity: 'warning' } },
    ]);
  });

  it('names every kind of action', () => {
    const changes = [1, 2, 3, 4, 5].map((n) => ({ kind: 'update', path: `f${n}` }));
    expect(
      item('started', { type: 'mcp_tool_call', server: 'git', tool: 'log', arguments: { n: 1 } })[0]?.message,
    ).toBe('git.log(n=1)');
    expect(item('started', { type: 'web_search', query: 'tmux' })[0]?.message).toBe('web_search(tmux)');
    expect(item('completed', { type: 'file_change', changes, status: 'completed' })[0]?.data).toMatchObject({
      arguments_summary: '(update f1, update f2, update f3, update f4, ...)',
      changes,
    });
    const failed = { type: 'mcp_tool_call', server: 'git', tool: 'log', error: { message: 'no repo' } };
    expect(item('completed', failed)).toMatchObject([{ message: 'no repo', data: { status: 'error' } }]);
    const items = [
      { text: 'a', completed: true },
      { text: 'b', completed: false },
    ];
    expect(item('updated', { type: 'todo_list', items })).toMatchObject([
      { kind: 'progress', message: '1 of 2 steps done, next: b' },
    ]);
  });
});

describe('codex evidence', () => {
  it('turn.started shows that the prompt was taken, thread.started does not', () => {
    const evidence = draftsOf('codex', '02-resume.stdout').map((draft) => codexAdapter.promptTaken(draft));
    expect(evidence).toEqual([null, null, 'turn.started row', null, null]);
  });

  it('knows a lost conversation by its stderr', () => {
    const stderrTail = cliOutput('codex', '04-resume-unknown.stderr');
    expect(codexAdapter.sessionLost({ lastError: null, stderrTail, exitCode: 1 })).toBe(true);
    expect(codexAdapter.sessionLost({ lastError: 'boom', stderrTail: 'Error: boom', exitCode: 1 })).toBe(
      false,
    );
  });
});
