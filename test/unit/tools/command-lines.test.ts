import { describe, expect, it } from 'vitest';
import type { SessionSelection, TurnRequest } from '../../../src/tools/adapter/tool-adapter.js';
import { toolAdapter } from '../../../src/tools/tool-registry.js';

function turn(changes: Partial<TurnRequest> = {}): TurnRequest {
  return {
    launchArgs: [],
    prompt: 'hello',
    role: null,
    session: { mode: 'new' },
    model: { name: null, reasoningLevel: null },
    turnDirectory: '/srv/turns/turn-1',
    ...changes,
  };
}

const last: SessionSelection = { mode: 'tool_last_or_new' };
const exact: SessionSelection = { mode: 'exact', id: 'abc-1' };

describe('claude command line', () => {
  const args = (changes: Partial<TurnRequest>) => toolAdapter('claude').command(turn(changes)).args;
  const format = ['--output-format', 'stream-json', '--include-partial-messages'];

  it.each([
    ['new', { mode: 'new' } as SessionSelection, []],
    ['last', last, ['--continue']],
    ['exact', exact, ['--resume', 'abc-1']],
  ])('selects the conversation: %s', (_name, session, expected) => {
    expect(args({ session })).toEqual(['-p', '--verbose', ...expected, ...format]);
  });

  it('puts launch arguments and the model first, and the role on every turn', () => {
    const model = { name: 'opus', reasoningLevel: 2 };
    expect(
      args({ launchArgs: ['--dangerously-skip-permissions'], model, role: 'Be "brief".', session: exact }),
    ).toEqual([
      '--dangerously-skip-permissions',
      '--model',
      'opus',
      '--effort',
      'medium',
      '-p',
      '--verbose',
      '--append-system-prompt',
      'Be "brief".',
      '--resume',
      'abc-1',
      ...format,
    ]);
  });

  it('joins a value that looks like an option to its flag', () => {
    expect(args({ session: { mode: 'exact', id: '--version' } })).toContain('--resume=--version');
    expect(args({ role: '- be brief' })).toContain('--append-system-prompt=- be brief');
    expect(args({ model: { name: '-x', reasoningLevel: null } })).toContain('--model=-x');
  });

  it('omits a role that says nothing', () => {
    expect(args({ role: ' \n' })).toEqual(['-p', '--verbose', ...format]);
  });
});

describe('codex command line', () => {
  const args = (changes: Partial<TurnRequest>) => toolAdapter('codex').command(turn(changes)).args;

  it.each([
    ['new', { mode: 'new' } as SessionSelection, []],
    ['last', last, ['resume', '--last']],
    ['exact', exact, ['resume', 'abc-1']],
    ['exact with a dash', { mode: 'exact', id: '-x' } as SessionSelection, ['resume', '--', '-x']],
  ])('selects the conversation: %s', (_name, session, expected) => {
    expect(args({ session })).toEqual(['exec', '--json', '--skip-git-repo-check', ...expected, '-']);
  });

  it('puts role and model before exec, quoted as TOML', () => {
    const model = { name: 'gpt-5.6-sol-1', reasoningLevel: 6 };
    expect(
      args({ launchArgs: ['--config=a=1'], model, role: 'Say "hi"\\\n\u007Ftrue\uD800', session: exact }),
    ).toEqual([
      '--config=a=1',
      '-c',
      'developer_instructions="Say \\"hi\\"\\\\\\n\\u007Ftrue\uFFFD"',
      '--config=model="gpt-5.6-sol-1"',
      '--config=model_reasoning_effort="ultra"',
      'exec',
      '--json',
      '--skip-git-repo-check',
      'resume',
      'abc-1',
      '-',
    ]);
  });
});

describe('gemini command line', () => {
  const command = (changes: Partial<TurnRequest>) => toolAdapter('gemini').command(turn(changes));
  const format = ['--output-format', 'stream-json'];

  it.each([
    ['new', { mode: 'new' } as SessionSelection, []],
    ['last', last, ['--resume', 'latest']],
    ['exact', exact, ['--resume', 'abc-1']],
  ])('selects the conversation: %s', (_name, session, expected) => {
    const { args, env, files } = command({ launchArgs: ['--sandbox=false'], session });
    expect(args).toEqual(['--sandbox=false', ...expected, ...format]);
    expect({ env, files }).toEqual({ env: {}, files: {} });
  });

  it('puts the role in front of the prompt of a fresh conversation only', () => {
    const fresh = command({ role: 'You review code.\n', prompt: 'look\nhere' }).stdin;
    const lines = fresh.split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^===.*role.*===$/);
    expect(lines[1]).toBe('You review code.');
    expect(lines[2]).toMatch(/^===.*===$/);
    expect(lines.slice(3)).toEqual(['', 'look', 'here']);
    expect(command({ role: 'You review code.', session: exact }).stdin).toBe('hello');
    expect(command({ role: 'You review code.', session: last }).stdin).toBe('hello');
  });

  const thinking = (model: string, thinkingConfig: object) => ({
    match: { model },
    modelConfig: { generateContentConfig: { thinkingConfig } },
  });
  const bases = (budget: number, level: string) => [
    thinking('chat-base-2.5', { thinkingBudget: budget }),
    thinking('chat-base-3', { thinkingLevel: level }),
  ];
  const overrides = (name: string | null, reasoningLevel: number): unknown => {
    const { files } = command({ model: { name, reasoningLevel } });
    return JSON.parse(Object.values(files)[0] ?? '').modelConfigs.customOverrides;
  };

  it('sets the model by flag and thinking by a settings file of this turn', () => {
    const { args, env, files } = command({ model: { name: 'gemini-3-pro-preview', reasoningLevel: 1 } });
    const path = '/srv/turns/turn-1/gemini-settings.json';
    expect(args).toEqual(['-m', 'gemini-3-pro-preview', ...format]);
    expect(env).toEqual({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: path });
    expect(Object.keys(files)).toEqual([path]);
  });

  it.each([
    ['gemini-3-pro-preview', 9, 16_384, 'HIGH', { thinkingLevel: 'HIGH' }],
    ['gemma-4-31b-it', 2, 2048, 'MEDIUM', { thinkingLevel: 'MEDIUM' }],
    ['gemini-2.5-pro', 1, 512, 'LOW', { thinkingBudget: 512 }],
    ['unheard-of', 4, 8192, 'HIGH', { thinkingBudget: 8192 }],
  ])(
    'sets thinking for both families, whatever %s is renamed to, and for the name itself',
    (name, position, budget, level, ofName) => {
      expect(overrides(name, position)).toEqual([...bases(budget, level), thinking(name, ofName)]);
    },
  );

  it.each([null, 'auto', 'pro', 'flash', 'flash-lite'])(
    'sets thinking for both families where Gemini CLI chooses the model: %s',
    (name) => {
      expect(overrides(name, 2)).toEqual(bases(2048, 'MEDIUM'));
    },
  );

  it('never lets "off" pass for a model that has no off', () => {
    const off = { thinkingBudget: 0 };
    expect(overrides('gemini-2.5-flash', 0)).toEqual(
      ['chat-base-2.5', 'chat-base-3', 'gemini-2.5-flash'].map((model) => thinking(model, off)),
    );
  });
});

describe('every command line', () => {
  it.each(['claude', 'codex', 'gemini'] as const)('%s gets the prompt by stdin alone', (tool) => {
    const prompt = '--version; $(rm) \u00e9\n-x';
    for (const session of [{ mode: 'new' } as SessionSelection, last, exact]) {
      const command = toolAdapter(tool).command(turn({ prompt, session, role: 'r' }));
      expect(command.stdin.endsWith(prompt)).toBe(true);
      expect(command.args.some((arg) => arg.includes('$(rm)'))).toBe(false);
    }
  });

  it.each(['claude', 'codex', 'gemini'] as const)(
    '%s refuses a level that admission should have refused',
    (tool) => {
      expect(() => toolAdapter(tool).command(turn({ model: { name: null, reasoningLevel: 0 } }))).toThrow(
        /off/,
      );
    },
  );
});
