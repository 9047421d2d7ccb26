import { Argument, type Command } from 'commander';
import type { Caller } from './caller.js';
import { agentNames } from './commands/find-agent.js';
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
        candidatesFor(program, words, () => namesHere(caller)),
      );
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    });
}

/** None where the environment is wrong: the command that is called then says so. */
export function namesHere({ host }: Pick<Caller, 'host'>): string[] {
  try {
    return agentNames(host());
  } catch {
    return [];
  }
}
