import { type Command, Option } from 'commander';
import { systemClock } from '../foundation/clock.js';
import type { Caller } from './caller.js';
import { cleanup, clearAccountMessages, clearAllMessages } from './commands/mailbox/cleanup.js';
import { exportArchive } from './commands/mailbox/export.js';
import { showMessage, showMessages } from './commands/mailbox/messages.js';
import {
  registerAccount,
  showAccount,
  showAccounts,
  unregisterAccount,
} from './commands/mailbox/registrations.js';
import { initRoot, type RootCall, repair, rootStatus } from './commands/mailbox/root.js';
import { toSeconds } from './flags/durations.js';
import { jsonOption } from './flags/json-flag.js';
import { collectTexts, toText } from './flags/mail-options.js';
import { addRootFlag, chosenRoot, type RootFlags } from './flags/mailbox-root.js';

const addressOption = (): Option =>
  new Option('--address <address>', 'the mail address (required)').argParser(toText).makeOptionMandatory();

/** `mailbox`: looking after a mailbox root, with no agent or gateway needed. */
export function addMailbox(program: Command, caller: Caller): void {
  const mailbox = program
    .command('mailbox')
    .description('folders in which agents exchange mail: make, look at, register in and repair them');
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
  add(mailbox, ['init', 'make a root, or what is missing of one'], initRoot);
  add(mailbox, ['status', 'how a root is; no failure where it is missing or broken'], rootStatus);
  add(mailbox, ['register', 'give an address its mailbox in the root'], registerAccount)
    .addOption(addressOption())
    .addOption(
      new Option('--principal-id <id>', 'who owns it (required)').argParser(toText).makeOptionMandatory(),
    )
    .addOption(
      new Option('--mode <mode>', 'when another mailbox is in its place: fail, replace it, set it aside')
        .choices(['safe', 'force', 'stash'])
        .default('safe'),
    )
    .option('--yes', 'replace what is in its place; without it, safe and force fail where anything is');
  add(mailbox, ['unregister', 'end the registration of an address; messages stay'], unregisterAccount)
    .addOption(addressOption())
    .addOption(
      new Option('--mode <mode>', 'keep its folder for later, or remove it')
        .choices(['deactivate', 'purge'])
        .default('deactivate'),
    );
  addRepair(add(mailbox, ['repair', 'bring index, links and states in line with the messages'], repair));
  addCleanup(
    add(mailbox, ['cleanup', 'forget registrations that are over, with their boxes; messages stay'], cleanup),
  );
  add(mailbox, ['clear-messages', 'remove every message; registrations stay'], clearAllMessages)
    .option('--dry-run', 'change nothing, and tell what would go')
    .option('--yes', 'do it');
  addExport(add(mailbox, ['export', 'copy accounts with their messages into a new folder'], exportArchive));
  const accounts = mailbox.command('accounts').description('who is registered');
  add(accounts, ['list', 'all registrations, the oldest first'], showAccounts);
  add(accounts, ['get', 'the registration of an address'], showAccount).addOption(addressOption());
  const messages = mailbox.command('messages').description('what is stored, without read or unread');
  add(messages, ['list', 'messages of a registered address, the newest first'], showMessages).addOption(
    addressOption(),
  );
  add(messages, ['clear', 'remove the messages of one account; what others have stays'], clearAccountMessages)
    .addOption(addressOption())
    .option('--dry-run', 'change nothing, and tell what would go')
    .option('--yes', 'do it');
  add(messages, ['get', 'one message, with its whole document'], showMessage)
    .addOption(addressOption())
    .addOption(
      new Option('--message-id <id>', 'its id, as list names it (required)')
        .argParser(toText)
        .makeOptionMandatory(),
    );
}

const addRepair = (command: Command): Command =>
  command
    .option('--cleanup-staging', 'clear what deliveries left half done; so it is unless told otherwise', true)
    .option('--no-cleanup-staging', 'leave it where it is')
    .addOption(
      new Option('--quarantine-staging', 'keep it aside; so it is unless told otherwise').conflicts(
        'removeStaging',
      ),
    )
    .option('--remove-staging', 'remove it');

const addExport = (command: Command): Command =>
  command
    .addOption(
      new Option('--output-dir <path>', 'where to; must not exist yet (required)')
        .argParser(toText)
        .makeOptionMandatory(),
    )
    .option('--all-accounts', 'every account, and messages that nobody has')
    .addOption(
      new Option('--address <address>', 'this account (repeatable)')
        .argParser(collectTexts)
        .conflicts('allAccounts'),
    )
    .addOption(
      new Option('--symlink-mode <mode>', 'what stands in the boxes: copies of messages, or links to them')
        .choices(['materialize', 'preserve'])
        .default('materialize'),
    );

const olderThan = (flag: string, what: string): Option =>
  new Option(`--${flag} <duration>`, `only ${what} ones that are so for that long, such as 30d`)
    .argParser(toSeconds({}))
    .default(0);

const addCleanup = (command: Command): Command =>
  command
    .addOption(olderThan('inactive-older-than-seconds', 'inactive'))
    .addOption(olderThan('stashed-older-than-seconds', 'stashed'))
    .option('--dry-run', 'change nothing, and tell what would be')
    .option('--yes', 'do it');
