import { describe, expect, test } from 'vitest';
import type { SessionSelection, TerminalLaunch } from '../../../src/tools/adapter/tool-adapter.js';
import type { ToolName } from '../../../src/tools/adapter/tool-name.js';
import { toolAdapter } from '../../../src/tools/tool-registry.js';

const newConversation = 'f8d59f57-3c5e-4c3a-9d1c-0d7a7a6f5f10';
const terminal = (tool: ToolName, changes: Partial<TerminalLaunch> = {}) =>
  toolAdapter(tool).terminal({
    ...{ launchArgs: [], role: null, session: { mode: 'new' }, newConversation },
    model: { name: null, reasoningLevel: null },
    ...changes,
  });

const fresh: SessionSelection = { mode: 'new' };
const last: SessionSelection = { mode: 'tool_last_or_new' };
const exact: SessionSelection = { mode: 'exact', id: 'abc-1' };
const noDaemon = ['--disable', 'daemon_auto_start'];

describe('in a terminal', () => {
  test.each<[ToolName, SessionSelection, string[], string | null]>([
    ['claude', fresh, ['--session-id', newConversation], newConversation],
    ['claude', last, ['--continue'], null],
    ['claude', exact, ['--resume', 'abc-1'], 'abc-1'],
    ['codex', fresh, noDaemon, null],
    ['codex', last, [...noDaemon, 'resume', '--last'], null],
    ['codex', exact, [...noDaemon, 'resume', 'abc-1'], 'abc-1'],
    ['gemini', fresh, ['--session-id', newConversation], newConversation],
    ['gemini', last, ['--resume', 'latest'], null],
    ['gemini', exact, ['--resume', 'abc-1'], 'abc-1'],
  ])('%s selects the conversation %j', (tool, session, args, conversation) => {
    expect(terminal(tool, { session })).toEqual({ args, conversation });
  });

  test('the role goes in as the tool takes it', () => {
    const role = 'Be "brief".\n';
    expect(terminal('claude', { role }).args).toEqual([
      ...['--append-system-prompt', role],
      ...['--session-id', newConversation],
    ]);
    expect(terminal('codex', { role }).args).toEqual([
      ...['-c', 'developer_instructions="Be \\"brief\\".\\n"'],
      ...noDaemon,
    ]);
    expect(toolAdapter('gemini').opening(role)).toMatch(/Be "brief"\..*\n\n$/s);
    expect(toolAdapter('gemini').opening(' \n')).toBeNull();
    for (const tool of ['claude', 'codex'] as const) expect(toolAdapter(tool).opening(role)).toBeNull();
  });

  test('launch arguments come first, then the model', () => {
    const changes = { launchArgs: ['--x'], model: { name: 'm', reasoningLevel: null } };
    expect(terminal('claude', changes).args.slice(0, 3)).toEqual(['--x', '--model', 'm']);
    expect(terminal('codex', changes).args.slice(0, 2)).toEqual(['--x', '--config=model="m"']);
    expect(terminal('gemini', changes).args.slice(0, 3)).toEqual(['--x', '-m', 'm']);
  });
});
