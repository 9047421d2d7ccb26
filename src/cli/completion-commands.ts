import { Argument, type Command } from 'commander';
import { listAgents } from '../launch/agent-directory.js';
import type { Caller } from './caller.js';
import { candidatesFor } from './completion/candidates.js';
import { completionScript, linesFor, type Shell, shells } from './completion/shells.js';

const shellArgument = (): Argument => new Argument('<shell>', 'the shell').choices(shells);

/** `completion`, which people put into the start-up file of their shell, and `complete`, which that then asks. */
export function addCompletion(program: Command, caller: Caller): void {
  program
    .command('completion')
    .description('print the script with which a shell completes commands, options and names of agents')
    .addArgument(shellArgument())
    .action((shell: Shell) => void process.stdout.write(completionScript(shell)));
  program
    .command('complete', { hidden: true })
    .addArgument(shellArgument())
    .argument('[words...]', 'the command line so far, after the name of the program')
    .action((shell: Shell, words: string[]) => {
      const lines = linesFor(
        shell,
        candidatesFor(program, words, () => namesOf(caller)),
      );
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    });
}

/** As people call them. */
const namesOf = (caller: Caller): string[] =>
  listAgents(caller.host())
    .agents.map(({ name }) => name.replace(/^HOUMAO-/, ''))
    .sort();
