import type { Command } from 'commander';
import type { CommandCaller } from './caller.js';
import {
  type AddContextFlags,
  addContext,
  listContexts,
  removeContext,
  setSetting,
  showConfig,
  unsetSetting,
  useContextFromNow,
} from './commands/config.js';
import { type JsonFlag, jsonOption } from './flags/options.js';

/** `config` and `context`: what a person sets once for all commands. */
export function addConfig(program: Command, caller: CommandCaller): void {
  const config = program
    .command('config')
    .description('show and change config.yaml: what new agents get where their command says nothing else');
  config
    .command('show')
    .description('show every setting, the context in force, and where the file is')
    .addOption(jsonOption())
    .action((flags: JsonFlag) => showConfig(caller, caller.output(flags)));
  config
    .command('set <setting> <value>')
    .description('set a setting: tool, retain-days, log-size, log-days or log-files')
    .addOption(jsonOption())
    .action((setting: string, value: string, flags: JsonFlag) =>
      setSetting(setting, value, caller, caller.output(flags)),
    );
  config
    .command('unset <setting>')
    .description('remove a setting')
    .addOption(jsonOption())
    .action((setting: string, flags: JsonFlag) => unsetSetting(setting, caller, caller.output(flags)));

  const context = program
    .command('context')
    .description('name servers, and choose the one that commands with --server use');
  context
    .command('list')
    .alias('ls')
    .description('list the contexts; * marks the one in force')
    .addOption(jsonOption())
    .action((flags: JsonFlag) => listContexts(caller, caller.output(flags)));
  context
    .command('add <context> <url>')
    .description('name a server, or change the one of that name')
    .option('--token-file <path>', "file with the server's token, read at each call")
    .option('--use', 'use it from now on')
    .addOption(jsonOption())
    .action((name: string, url: string, flags: AddContextFlags & JsonFlag) =>
      addContext(name, url, flags, caller, caller.output(flags)),
    );
  context
    .command('use <context>')
    .description(
      'use this server from now on, in every command that takes --server; here: this machine again',
    )
    .addOption(jsonOption())
    .action((name: string, flags: JsonFlag) => useContextFromNow(name, caller, caller.output(flags)));
  context
    .command('rm <context>')
    .description('remove a context; its server stays as it is')
    .addOption(jsonOption())
    .action((name: string, flags: JsonFlag) => removeContext(name, caller, caller.output(flags)));
}
