import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { callerOf } from '../../../src/cli/caller.js';
import { managerProgram } from '../../../src/cli/program.js';
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
