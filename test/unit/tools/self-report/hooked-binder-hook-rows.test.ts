import { expect, it } from 'vitest';
import { claudeHookEvents } from '../../../../src/tools/claude/claude-adapter.js';
import { geminiHookEvents } from '../../../../src/tools/gemini/gemini-settings.js';
import { HookRows } from '../../../../src/tools/self-report/hooked-binder.js';

const place = { file: 'terminal/hooks.jsonl', offset: 7 };
const claude = (row: object) => new HookRows(claudeHookEvents, (id) => id === 'ours').read({ ...row }, place);
const gemini = (row: object) => new HookRows(geminiHookEvents, () => true).read({ ...row }, place);
const prompted = { session_id: 'ours', hook_event_name: 'UserPromptSubmit', prompt: 'hello' };

it('a prompt is accepted, may be refused yet, and belongs to no turn', () => {
  expect(claude({ ...prompted, prompt_id: 'of the turn that runs' })).toEqual([
    {
      kind: 'prompt_taken',
      text: 'hello',
      pending: true,
      refusable: true,
      conversation: 'ours',
      turn: null,
      at: null,
      evidence: 'UserPromptSubmit row at byte 7 of terminal/hooks.jsonl',
    },
  ]);
});

it('a permission is asked for, by the name of the tool', () => {
  const asked = { session_id: 'ours', hook_event_name: 'PermissionRequest', tool_name: 'Bash' };
  const evidence = 'PermissionRequest row at byte 7 of terminal/hooks.jsonl';
  expect(claude(asked)).toEqual([{ kind: 'asking', waitingFor: 'Bash', evidence, at: null }]);
  expect(claude({ ...asked, tool_name: 3 })).toMatchObject([{ waitingFor: 'permission' }]);
});

it('rows of other conversations are nothing', () => {
  expect(claude({ ...prompted, session_id: 'theirs' })).toEqual([]);
  expect(claude({ ...prompted, session_id: undefined })).toEqual([]);
});

it('the time of a row counts where it has one, and other notifications do not', () => {
  const row = { session_id: 'g', timestamp: '2026-11-22T19:01:28.571Z', hook_event_name: 'Notification' };
  expect(gemini({ ...row, notification_type: 'ToolPermission' })).toMatchObject([{ at: row.timestamp }]);
  expect(gemini({ ...row, notification_type: 'Other' })).toEqual([]);
});
