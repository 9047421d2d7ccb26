import { describe, expect, test } from 'vitest';
import { hookCommand } from '../../../src/tools/adapter/command-parts.js';
import type { SessionSelection, TerminalLaunch, ToolName } from '../../../src/tools/adapter/tool-adapter.js';
import { toolAdapter } from '../../../src/tools/tool-registry.js';

const newConversation = 'f8d59f57-3c5e-4c3a-9d1c-0d7a7a6f5f10';
const terminal = (tool: ToolName, changes: Partial<TerminalLaunch> = {}) =>
  toolAdapter(tool).terminal({
    launchArgs: [],
    role: null,
    session: { mode: 'new' },
    newConversation,
    hooks: null,
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
    expect(terminal(tool, { session })).toEqual({ args, conversation, env: {}, files: {} });
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

describe('with hooks', () => {
  const hooks = { file: "/it's/hooks.jsonl", folder: "/it's" };
  const command = hookCommand(hooks.file);

  test('Claude Code gets settings of its process, and does not wait', () => {
    const { args, env, files } = terminal('claude', { hooks, launchArgs: ['--x'] });
    expect([args[0], args[1], env, files]).toEqual(['--x', '--settings', {}, {}]);
    const group = [{ hooks: [{ type: 'command', command, async: true, timeout: 30 }] }];
    expect(JSON.parse(args[2] ?? '')).toEqual({
      hooks: { UserPromptSubmit: group, PermissionRequest: group },
    });
  });

  test('Codex gets a value for each, and no dialog that asks for trust', () => {
    const { args, env, files } = terminal('codex', { hooks, session: exact });
    const value = (event: string) =>
      `--config=hooks.${event}=[{hooks=[{type="command",timeout=30,command=${JSON.stringify(command)}}]}]`;
    expect(args).toEqual([
      ...[value('UserPromptSubmit'), value('PermissionRequest'), '--dangerously-bypass-hook-trust'],
      ...[...noDaemon, 'resume', 'abc-1'],
    ]);
    expect([env, files]).toEqual([{}, {}]);
    const given = ['--dangerously-bypass-hook-trust'];
    const twice = terminal('codex', { hooks, launchArgs: given }).args.filter((arg) => arg === given[0]);
    expect(twice).toEqual(given);
  });

  test('Gemini CLI gets a system settings file', () => {
    const { args, env, files } = terminal('gemini', { hooks });
    const path = "/it's/gemini-settings.json";
    expect([args, env]).toEqual([
      ['--session-id', newConversation],
      { GEMINI_CLI_SYSTEM_SETTINGS_PATH: path },
    ]);
    const group = [{ hooks: [{ name: 'houmao', type: 'command', command, timeout: 30_000 }] }];
    expect(Object.keys(files)).toEqual([path]);
    expect(JSON.parse(files[path] ?? '')).toEqual({ hooks: { BeforeAgent: group, Notification: group } });
  });

  const place = { folder: '/', environment: {} };
  test.each<[ToolName, string[], RegExp | null]>([
    ['claude', ['--settings', '{}'], /--settings/],
    ['claude', ['--settings=mine.json'], /--settings/],
    ['claude', ['--setting-sources', 'user'], null],
    ['codex', ['--config=hooks.UserPromptSubmit=[]'], /command line/],
    ['codex', ['--config', 'hooks = {}'], /command line/],
    ['codex', ['--config=hooks."PermissionRequest"=[]'], /command line/],
    ['codex', ['--config=hooks.Stop=[]', '--config=notify=["/x"]'], null],
  ])('%s with %j of the user', (tool, launchArgs, obstacle) => {
    const reason = toolAdapter(tool).hookObstacle(place, launchArgs);
    if (obstacle === null) expect(reason).toBeNull();
    else expect(reason).toMatch(obstacle);
  });

  test("Gemini CLI with system settings of the user's, or of others", () => {
    const environment = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/mine.json' };
    expect(toolAdapter('gemini').hookObstacle({ folder: '/', environment }, [])).toMatch(
      /^Gemini CLI takes hooks of a launch only from a system settings file/,
    );
  });
});
