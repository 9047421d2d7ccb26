import { type Command, Option } from 'commander';
import { systemClock } from '../foundation/clock.js';
import type { CommandCaller } from './caller.js';
import { cleanup, clearAccountMessages, clearAllMessages } from './commands/mailbox/cleanup.js';
import { showMessage, showMessages } from './commands/mailbox/messages.js';
import {
  registerAccount,
  showAccount,
  showAccounts,
  unregisterAccount,
} from './commands/mailbox/registrations.js';
import { exportArchive, initRoot, type RootCall, repair, rootStatus } from './commands/mailbox/root.js';
import { addRootFlag, chosenRoot, type RootFlags } from './flags/mailbox-flags.js';
import { collectTexts, jsonOption, toSeconds, toText } from './flags/options.js';

const addressOption = (): Option =>
  new Option('--address <address>', 'the mail address (required)').argParser(toText).makeOptionMandatory();

/** `mailbox`: maintains a mailbox root; needs no agent or gateway. */
export function addMailbox(program: Command, caller: CommandCaller): void {
  const mailbox = program
    .command('mailbox')
    .description('create, inspect and repair the folders in which agents exchange mail');
  const add = <Flags extends object>(
    group: Command,
    [name, description]: readonly [string, string],
    work: (call: RootCall, flags: Flags) => Promise<void>,
  ): Command => {
    const command = group.command(name).description(description);
    return addRootFlag(command)
      .addOption(jsonOption())
      .action(async () => {
        const chosen = chosenRoot(command.opts<RootFlags>(), caller.environment);
        await work(
          { chosen, clock: systemClock, output: caller.output(command.opts()) },
          command.opts<Flags>(),
        );
      });
  };
  add(mailbox, ['init', 'create a mailbox root, or its missing parts'], initRoot);
  add(
    mailbox,
    ['status', 'show the state of a mailbox root; exits with 0 also when it is missing or broken'],
    rootStatus,
  );
  add(mailbox, ['register', 'give an address a mailbox in the root'], registerAccount)
    .addOption(addressOption())
    .addOption(
      new Option('--principal-id <id>', 'who owns it (required)').argParser(toText).makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'when the address has another mailbox: fail (safe), replace it (force), keep it aside (stash)',
      )
        .choices(['safe', 'force', 'stash'])
        .default('safe'),
    )
    .option(
      '--yes',
      'replace another mailbox of the address; without --yes, safe and force fail if there is one',
    );
  add(mailbox, ['unregister', 'end the registration of an address; messages stay'], unregisterAccount)
    .addOption(addressOption())
    .addOption(
      new Option('--mode <mode>', 'keep its folder for later, or remove it')
        .choices(['deactivate', 'purge'])
        .default('deactivate'),
    );
  addRepair(add(mailbox, ['repair', 'rebuild index, links and states from the messages'], repair));
  addCleanup(add(mailbox, ['cleanup', 'remove ended registrations and their boxes; messages stay'], cleanup));
  add(mailbox, ['clear-messages', 'remove every message; registrations stay'], clearAllMessages)
    .option('--dry-run', 'change nothing, and list what would be removed')
    .option('--yes', 'do it');
  addExport(add(mailbox, ['export', 'copy accounts with their messages into a new folder'], exportArchive));
  const accounts = mailbox.command('accounts').description('show who is registered');
  add(accounts, ['list', 'list all registrations, oldest first'], showAccounts);
  add(accounts, ['get', 'show the registration of an address'], showAccount).addOption(addressOption());
  const messages = mailbox
    .command('messages')
    .description('show or remove stored messages, whether read or not');
  add(messages, ['list', 'list the messages of a registered address, newest first'], showMessages).addOption(
    addressOption(),
  );
  add(
    messages,
    ['clear', 'remove the messages of one account; messages that others have stay'],
    clearAccountMessages,
  )
    .addOption(addressOption())
    .option('--dry-run', 'change nothing, and list what would be removed')
    .option('--yes', 'do it');
  add(messages, ['get', 'show one message, with its whole document'], showMessage)
    .addOption(addressOption())
    .addOption(
      new Option('--message-id <id>', 'its id, as list names it (required)')
        .argParser(toText)
        .makeOptionMandatory(),
    );
}

const addRepair = (command: Command): Command =>
  command
    .option('--cleanup-staging', 'clear what interrupted deliveries left (default)', true)
    .option('--no-cleanup-staging', 'leave it where it is')
    .addOption(new Option('--quarantine-staging', 'keep it aside (default)').conflicts('removeStaging'))
    .option('--remove-staging', 'remove it');

const addExport = (command: Command): Command =>
  command
    .addOption(
      new Option('--output-dir <path>', 'folder to create; must not exist yet (required)')
        .argParser(toText)
        .makeOptionMandatory(),
    )
    .option('--all-accounts', 'every account, and messages that no account has')
    .addOption(
      new Option('--address <address>', 'this account (repeatable)')
        .argParser(collectTexts)
        .conflicts('allAccounts'),
    )
    .addOption(
      new Option('--symlink-mode <mode>', 'what the boxes contain: copies of messages, or links to them')
        .choices(['materialize', 'preserve'])
        .default('materialize'),
    );

const olderThan = (flag: string, what: string): Option =>
  new Option(`--${flag} <duration>`, `only registrations that have been ${what} for this long, such as 30d`)
    .argParser(toSeconds({}))
    .default(0);

const addCleanup = (command: Command): Command =>
  command
    .addOption(olderThan('inactive-older-than-seconds', 'inactive'))
    .addOption(olderThan('stashed-older-than-seconds', 'stashed'))
    .option('--dry-run', 'change nothing, and list what would be removed')
    .option('--yes', 'do it');
