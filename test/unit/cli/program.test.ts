import { execFileSync } from 'node:child_process';
import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { callerOf } from '../../../src/cli/caller.js';
import { managerProgram } from '../../../src/cli/program.js';
import type { CommandFailure } from '../../../src/cli/words/command-failure.js';
import { examplesOf } from '../../../src/cli/words/examples.js';

const surroundings = { programName: 'houmao-mgr', errorWindow: null, outputWindow: null, isColoured: false };
const newProgram = () => managerProgram(callerOf({}, surroundings), true);

interface Placed {
  readonly path: string;
  readonly command: Command;
}
const below = (command: Command, path: readonly string[] = []): Placed[] => [
  { path: path.join(' '), command },
  ...command.commands.flatMap((one) => below(one, [...path, one.name()])),
];
/** Those that people are shown. */
const shown = () => below(newProgram()).filter(({ path }) => path !== 'complete');

function helpOf(command: Command): string {
  const said: string[] = [];
  command.configureOutput({ writeOut: (text) => void said.push(text) }).outputHelp();
  return said.join('');
}

/** The words of a command line, as a shell hands them over. */
const wordsOf = (line: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

test('every command has examples in its help, of itself or of what is below it', () => {
  for (const { path, command } of shown()) {
    expect(helpOf(command), path).toMatch(/\nExamples:\n {2}\S/);
    for (const example of examplesOf(path)!)
      expect(example.replace(/^.* \| /, ''), path).toMatch(new RegExp(`^houmao-mgr ${path.split(' ')[0]}`));
  }
});

test('no command takes a blank name of an agent', () => {
  const named = shown().flatMap(({ path, command }) =>
    command.registeredArguments
      .filter((argument) => ['name', 'names', 'agent'].includes(argument.name()))
      .map((argument) => ({ path, argument })),
  );
  expect(named.length).toBeGreaterThan(20);
  for (const { path, argument } of named) {
    expect(() => argument.parseArg?.(' ', undefined), path).toThrow('The name of the agent is empty.');
    expect(argument.parseArg?.('alpha', undefined), path).toEqual(argument.variadic ? ['alpha'] : 'alpha');
  }
});

test('a prompt to all agents has no name that could be blank', () => {
  const { command } = shown().find(({ path }) => path === 'agents prompt')!;
  command.setOptionValue('all', true);
  expect(command.registeredArguments[0]?.parseArg?.('', undefined)).toBe('');
});

test('a description begins with one verb', () => {
  const words = shown().map(({ path, command }) => ({
    path,
    beginning: command.description().split(' '),
  }));
  const verbs = new Set(words.map(({ beginning }) => beginning[0]));
  for (const {
    path,
    beginning: [first = '', second = ''],
  } of words)
    expect(!first.endsWith(',') && verbs.has(second), path).toBe(false);
});

test('every example parses', async () => {
  for (const { path } of shown())
    for (const example of examplesOf(path)!) {
      const [program, ...words] = wordsOf(example.replace(/^.* \| /, ''));
      const parsed: string[] = [];
      const root = newProgram();
      for (const { path: own, command } of below(root)) {
        command.exitOverride();
        if (command.commands.length === 0) command.action(() => void parsed.push(own));
      }
      await root.parseAsync(words, { from: 'user' });
      expect([program, parsed], example).toEqual(['houmao-mgr', [expect.stringContaining(path)]]);
    }
});

test('every help tells the exit codes', () => {
  const program = newProgram();
  const deep = below(program).find(({ path }) => path === 'agents gateway reminders create')!;
  expect(helpOf(deep.command)).toMatch(/\nExit codes and --json failures: houmao-mgr --help/);
});

/** Every command that does something itself, with the words that it cannot do without. */
const leaves = () =>
  below(newProgram())
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path, command }) => ({
      path,
      command,
      words: path.split(' '),
      needed: [
        ...command.registeredArguments.filter(({ required }) => required).map((argument) => argument.name()),
        ...command.options
          .filter(({ mandatory }) => mandatory)
          .map(({ long, argChoices }) => `${long}=${argChoices?.[0] ?? '1'}`),
      ],
    }));

/** How commander refuses a command line, by its code; null where it takes it. No command does anything. */
async function refusalOf(words: readonly string[]): Promise<string | null> {
  const root = newProgram();
  for (const { command } of below(root)) {
    command.exitOverride();
    if (command.commands.length === 0) command.action(() => undefined);
  }
  return root.parseAsync(words, { from: 'user' }).then(
    () => null,
    (error: unknown) =>
      error instanceof CommanderError && error.exitCode === 1 ? error.code : String(error),
  );
}

test('every command refuses a flag that it does not have, words that it lacks, and words too many', async () => {
  for (const { path, words, needed, command } of leaves()) {
    const { registeredArguments: taken } = command;
    expect(await refusalOf([...words, ...needed, '--no-such-flag']), path).toBe('commander.unknownOption');
    if (taken.some(({ required }) => required))
      expect(await refusalOf(words), path).toMatch(/^commander\.missing(Argument|MandatoryOptionValue)$/);
    if (taken.some(({ variadic }) => variadic)) continue;
    const tooMany = [...needed, ...taken.map((argument) => argument.name()), 'one-more'];
    expect(await refusalOf([...words, ...tooMany]), path).toBe('commander.excessArguments');
  }
});

const oddValues = [
  '',
  ' ',
  'no such',
  '-1',
  '0',
  '1.5',
  '1e999',
  '9'.repeat(20),
  '../..',
  'http://[',
  '\u0000',
];

test('a value of a flag that is not taken is refused as one, whatever it is', () => {
  const refusing = new Set<string>();
  for (const { path, command } of leaves())
    for (const { long, parseArg, defaultValue } of command.options)
      for (const value of oddValues)
        try {
          parseArg?.(value, defaultValue);
        } catch (error) {
          expect(error, `${path} ${long} ${value}`).toBeInstanceOf(InvalidArgumentError);
          refusing.add(String(long));
        }
  expect([...refusing]).toEqual(expect.arrayContaining(['--port', '--timeout', '--limit', '--tool']));
});

test('every option that takes a text refuses an empty one, but for those where it says something', () => {
  const taking = new Set<string>();
  for (const { command } of leaves())
    for (const { long, required, optional, parseArg, defaultValue } of command.options)
      try {
        parseArg?.('', defaultValue);
        if (required || optional) taking.add(String(long));
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
      }
  expect([...taking].sort()).toEqual(['--appendix-text', '--body-content', '--role']);
});

test('a mistyped command suggests one like it, but none that takes something away', async () => {
  const reported = async (...words: string[]) => {
    const refused = await managerProgram(callerOf({}, surroundings), false)
      .parseAsync(words, { from: 'user' })
      .catch((error: unknown) => error);
    return (refused as CommandFailure).detail;
  };
  expect(await reported('agents', 'lisst')).toContain('mean list?');
  for (const destructive of ['stop', 'prune'])
    expect(await reported('agents', `${destructive}s`)).not.toContain(`mean ${destructive}`);
  expect(await reported('agents', 'show')).not.toContain('stop');
});
