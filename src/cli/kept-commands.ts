import type { Command } from 'commander';
import type { CommandCaller } from './caller.js';
import { backUp, type RestoreFlags, restore } from './commands/backup.js';
import { type AllFlag, allOption, type JsonFlag, jsonOption } from './flags/options.js';

/** `backup` and `restore`. */
export function addBackup(program: Command, caller: CommandCaller): void {
  program
    .command('backup <file> [names...]')
    .description(
      'save agents into an archive (.tar.gz) while they work: queue, turns, answers and settings, without secrets',
    )
    .addOption(allOption())
    .addOption(jsonOption())
    .action((file: string, names: string[], flags: AllFlag & JsonFlag) =>
      backUp(file, names, flags, caller.host(), caller.output(flags)),
    );
  program
    .command('restore <file>')
    .description(
      'make the agents of such an archive again, here or on another machine, with their queues paused',
    )
    .option('--as <name>', 'another name for the agent')
    .option('--root <path>', 'folder of its session (default: below the runtime folder, as at a launch)')
    .option('--workdir <path>', 'its working directory (default: the same one, below this home)')
    .addOption(jsonOption())
    .action((file: string, flags: RestoreFlags & JsonFlag) =>
      restore(file, flags, caller.host(), caller.output(flags)),
    );
}
