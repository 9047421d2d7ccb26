import { expect, test } from 'vitest';
import { refuseHeadlessFlags, runsHeadless, takesNoKeys } from '../../../../src/cli/words/agent-kind.js';
import { CommandFailure } from '../../../../src/cli/words/command-failure.js';

type Flags = Parameters<typeof refuseHeadlessFlags>[0];
function refused(flags: Flags, tool: string, server = ''): CommandFailure | null {
  try {
    refuseHeadlessFlags(flags, { name: 'beta', server, tool });
    return null;
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
}

test.each<[Flags, string, string, string]>([
  [{ new: true }, 'claude', 'invalid_chat_session', "houmao-mgr agents keys beta '/clear<[Enter]>'"],
  [{ new: true, model: 'x' }, 'codex', 'invalid_chat_session', "houmao-mgr agents keys beta '/new<[Enter]>'"],
  [{ model: 'x' }, 'codex', 'invalid_execution', "houmao-mgr agents keys beta '/model<[Enter]>'"],
  [{ reasoning: 1 }, 'gemini', 'invalid_execution', "houmao-mgr agents keys beta '/model<[Enter]>'"],
])(
  '%j for an agent in a terminal is refused by its flag, with what to type',
  (flags, tool, errorCode, command) => {
    const [flag] = Object.keys(flags);
    expect(refused(flags, tool)).toMatchObject({
      exitCode: 1,
      errorCode,
      remedies: [[expect.any(String), command]],
      detail: `--${flag} is for headless agents, and beta runs in a terminal. Leave it out.`,
    });
  },
);

test('other flags are none that a terminal refuses, and a remedy leads to the same server', () => {
  expect(refused({}, 'claude')).toBeNull();
  const [[, command] = []] = refused({ new: true }, 'claude', ' --server http://h:1')?.remedies ?? [];
  expect(command).toBe("houmao-mgr agents keys beta '/clear<[Enter]>' --server http://h:1");
});

test('a headless agent is named, and where to look at it', () => {
  expect(runsHeadless({ name: 'alpha', server: '' })).toMatchObject({
    exitCode: 1,
    errorCode: 'no_terminal',
    message: [
      'alpha runs headless: it has no terminal of its own.',
      '  see its prompts and answers  houmao-mgr agents requests list alpha',
      '  see what happens             houmao-mgr agents events alpha --follow',
    ].join('\n'),
  });
  expect(takesNoKeys('alpha').message).toMatch(/^--keys .* alpha .* --prompt/);
});
