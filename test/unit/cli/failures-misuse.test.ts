import { Command, InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { misuse, refuseInWords } from '../../../src/cli/failures.js';
import { CommandFailure } from '../../../src/cli/words/command-failure.js';

function program(): Command {
  const root = new Command('houmao-mgr').configureOutput({
    outputError: () => undefined,
    writeErr: () => undefined,
  });
  const agents = root.command('agents');
  const toNothing = () => {
    throw new InvalidArgumentError('It must be a port.');
  };
  agents.command('prompt <name> [text...]').option('--port <port>', 'port', toNothing).action(nothing);
  agents.command('show <name> <request-id>').action(nothing);
  agents.command('stop <name>').action(nothing);
  agents.command('complete', { hidden: true }).action(nothing);
  return root;
}
const nothing = (): void => undefined;

async function refused(
  words: string,
  agents: readonly string[] = ['alpha', 'beta'],
): Promise<CommandFailure> {
  const root = program();
  refuseInWords(root, () => agents, false);
  const error = await root.parseAsync(words.split(' '), { from: 'user' }).catch((one: unknown) => one);
  if (error instanceof CommandFailure) return error;
  throw new Error(`${words} was not refused`);
}

test.each([
  [
    'agents prompt',
    "Missing required argument 'name'. Agents: alpha, beta. Usage: houmao-mgr agents prompt [options] <name> [text...]. See houmao-mgr agents prompt --help",
  ],
  [
    'agents show alpha',
    "Missing required argument 'request-id'. Usage: houmao-mgr agents show [options] <name> <request-id>. See houmao-mgr agents show --help",
  ],
  [
    'agents shows',
    "Unknown command 'shows'. Did you mean show? Commands: prompt, show, stop. See houmao-mgr agents --help",
  ],
  ['agents stops', "Unknown command 'stops'. Commands: prompt, show, stop. See houmao-mgr agents --help"],
  ['agents', 'A command is missing. Commands: prompt, show, stop. See houmao-mgr agents --help'],
  [
    'agents stop alpha beta',
    /^Too many arguments.*\. Usage: houmao-mgr agents stop \[options\] <name>\. See /,
  ],
  [
    'agents prompt a --ports 1',
    "Unknown option '--ports'. Did you mean --port? See houmao-mgr agents prompt --help",
  ],
  ['agents prompt a --port x', /^Option '--port <port>' argument 'x' is invalid\. It must be a port\. See /],
])('%s is refused with what may stand there, and where its help is', async (words, said) => {
  const { message, exitCode, errorCode, remedies } = await refused(words);
  expect([exitCode, errorCode]).toEqual([2, 'usage']);
  if (typeof said === 'string') expect(message).toBe(said);
  else expect(message).toMatch(said);
  expect(message).toContain(remedies[0]?.[1]);
});

test('agents are asked for only where the name of one is missing, and none are named where there are none', async () => {
  expect((await refused('agents prompt', [])).message).toMatch(/'name'\. Usage: /);
  const error = { code: 'commander.unknownOption', message: "error: unknown option '--x'" };
  expect(() =>
    misuse(error, program(), () => {
      throw new Error('nobody asks');
    }),
  ).not.toThrow();
});
