import { type Command, Option } from 'commander';
import type { AgentHost } from '../launch/agent-host.js';
import type { CommandCaller } from './caller.js';
import { type AgentCall, type AgentChoice, chosenAgent } from './commands/chosen-agent.js';
import {
  mailboxStatus,
  registerMailbox,
  resolveLive,
  unregisterMailbox,
} from './commands/mail/agent-mailbox.js';
import {
  archiveMail,
  checkMail,
  disableNotifier,
  enableNotifier,
  fetchAttachment,
  listMail,
  mailStatus,
  markMail,
  markMailRead,
  moveMail,
  notifierStatus,
  peekMail,
  postMail,
  readMail,
  replyMail,
  sendMail,
} from './commands/mail/mail.js';
import { type MailCommandCall, wayByServer, wayHere } from './commands/mail/mail-way.js';
import {
  addAttachmentFlags,
  addBodyFlags,
  addCheckFlags,
  addKeyFlag,
  addListFlags,
  addMarkFlags,
  addNoticeFlags,
  addOneFlags,
  addParentFlag,
  addRecipientFlags,
  destinationOption,
  refsOption,
  replyPolicyOption,
  subjectOption,
} from './flags/mail-options.js';
import { addMailServerFlags, addRootFlag } from './flags/mailbox-flags.js';
import { addNotifierFlags } from './flags/notifier-options.js';
import { jsonOption, type ServerFlag, serverOption } from './flags/options.js';
import type { Output } from './words/terminal-output.js';

/** The way a group of commands finds its agent. */
interface Whose {
  /** The argument of its commands besides their options: the agent, or none. */
  argument: ' [name]' | '';
  choice(argument: string | undefined): AgentChoice;
  /** Whether it may be an agent of a server, which must be named. */
  atServer: boolean;
}

/** `agents mail` and `agents mail-notifier`. */
export function addMail(agents: Command, caller: CommandCaller): void {
  const named = (group: Command): Whose => ({
    argument: ' [name]',
    choice: (argument) => ({ ...group.opts<AgentChoice>(), argument, place: 'beside' }),
    atServer: true,
  });
  const mail = withSelectors(agents.command('mail')).description(
    "read and send an agent's mail; without a name, of the agent in whose session this runs",
  );
  addMailCommands(mail, caller, named(mail));
  const notifier = withSelectors(agents.command('mail-notifier')).description(
    'have the gateway prompt an agent when it has mail',
  );
  addNotifierCommands(notifier, caller, named(notifier));
  const mailbox = withSelectors(agents.command('mailbox')).description(
    "show, add or remove an agent's mailbox, also while the agent runs",
  );
  addMailboxCommands(mailbox, caller, named(mailbox));
}

/** `agents single` and `agents self`: the same commands, with the agent chosen before them. */
export function addMailOfChosen(agents: Command, caller: CommandCaller): void {
  const single = withSelectors(agents.command('single')).description(
    'commands for the agent that --agent-name or --agent-id names',
  );
  addGroups(single, caller, {
    argument: '',
    choice: () => ({ ...single.opts<AgentChoice>(), place: 'single' }),
    atServer: true,
  });
  const self = agents.command('self').description('commands for the agent in whose session this runs');
  addGroups(self, caller, { argument: '', choice: () => ({ place: 'self' }), atServer: false });
}

function addGroups(parent: Command, caller: CommandCaller, whose: Whose): void {
  addMailCommands(parent.command('mail').description("read and send the agent's mail"), caller, whose);
  addNotifierCommands(
    parent.command('mail-notifier').description('prompt the agent when it has mail'),
    caller,
    whose,
  );
  addMailboxCommands(
    parent.command('mailbox').description("show, add or remove the agent's mailbox"),
    caller,
    whose,
  );
}

const withSelectors = (command: Command): Command =>
  command
    .addOption(new Option('--agent-name <name>', 'the agent, by its name').conflicts('agentId'))
    .option('--agent-id <id>', 'the agent, by its id');

interface Place {
  caller: CommandCaller;
  whose: Whose;
}

type Declare = (command: Command) => Command;

/** The agent as it was chosen, with the host and the output of the caller. */
interface Given {
  choice: AgentChoice;
  host: AgentHost;
  output: Output;
}

/** Declares a command for one agent. @param declare its options, in the order of its help. */
function declared<Flags extends object>(
  group: Command,
  [name, description]: readonly [string, string],
  { caller, whose }: Place,
  work: (given: Given, flags: Flags) => Promise<void>,
  declare: readonly Declare[],
): void {
  const command = group.command(name + whose.argument).description(description);
  for (const each of declare) each(command);
  command.addOption(jsonOption()).action(async (...given: unknown[]) => {
    const choice = whose.choice(whose.argument === '' ? undefined : (given[0] as string | undefined));
    await work({ choice, host: caller.host(), output: caller.output(command.opts()) }, command.opts<Flags>());
  });
}

/** Adds a command that needs the files of the agent. */
const addHere = <Flags extends object>(
  group: Command,
  words: readonly [string, string],
  place: Place,
  work: (call: AgentCall, flags: Flags) => Promise<void>,
  ...declare: readonly Declare[]
): void =>
  declared<Flags>(
    ...([group, words, place] as const),
    ({ choice, host, output }, flags) => work({ chosen: chosenAgent(choice, host), host, output }, flags),
    declare,
  );

/** Adds a command that a managed-agent server can forward, too. */
const add = <Flags extends object>(
  group: Command,
  words: readonly [string, string],
  place: Place,
  work: (call: MailCommandCall, flags: Flags) => Promise<void>,
  ...declare: readonly Declare[]
): void =>
  declared<Flags & ServerFlag>(
    ...([group, words, place] as const),
    async ({ choice, host, output }, flags) => {
      const way =
        flags.server === undefined
          ? wayHere(chosenAgent(choice, host), host)
          : await wayByServer(choice, flags, host);
      await work({ way, output }, flags);
    },
    place.whose.atServer ? [...declare, option(serverOption)] : declare,
  );

const option =
  (make: () => Option): Declare =>
  (command) =>
    command.addOption(make());

const after =
  (help: string): Declare =>
  (command) =>
    command.addHelpText('after', help);

const pathHelp = `
Mail goes through the agent's gateway if it answers, else directly to the mailbox; --json says which (execution_path).
With --server it goes through the gateway of that server's agent, and paths are those of that machine.`;

const attachmentHelp = `
From a mail server the file is fetched into the session's folder. Its content is the sender's: do not trust it.`;

const bodyHelp = `
The body comes from --body-content, --body-file or standard input. Its first fenced block named houmao-notify
is the notice shown in the prompt that wakes the recipient.`;

function addMailCommands(mail: Command, caller: CommandCaller, whose: Whose): void {
  const at = { caller, whose };
  mail.addHelpText('after', pathHelp);
  add(mail, ['status', 'show whose mailbox it is, and whether it can be used'], at, mailStatus);
  addHere(mail, ['resolve-live', 'print where mailbox and gateway are, as JSON'], at, resolveLive);
  add(mail, ['list', 'list messages, newest first; changes nothing'], at, listMail, addListFlags);
  add(mail, ['check', 'list unarchived messages of the inbox'], at, checkMail, addCheckFlags);
  add(mail, ['peek', 'show a message; it stays unread'], at, peekMail, addOneFlags);
  add(mail, ['read', 'show a message and mark it read'], at, readMail, addOneFlags);
  add(
    ...([mail, ['attachment', 'fetch an attached file, and say where it is'], at, fetchAttachment] as const),
    ...[addAttachmentFlags, after(attachmentHelp)],
  );
  addOutgoing(mail, at);
  addChanges(mail, at);
}

function addOutgoing(mail: Command, at: Place): void {
  const body = [addBodyFlags, addKeyFlag, after(bodyHelp)];
  add(
    ...([mail, ['send', 'send a message as the agent'], at, sendMail, addRecipientFlags] as const),
    ...[option(subjectOption), ...body, addNoticeFlags],
  );
  add(
    ...([mail, ['post', "put a note from the operator into the agent's inbox"], at, postMail] as const),
    ...[option(subjectOption), ...body, option(replyPolicyOption), addNoticeFlags],
  );
  add(
    ...([mail, ['reply', 'answer a message, which marks it read and answered'], at, replyMail] as const),
    ...[addParentFlag, ...body],
  );
}

function addChanges(mail: Command, at: Place): void {
  const refs = option(refsOption);
  add(mail, ['mark', 'mark messages; all or none'], at, markMail, addMarkFlags);
  add(mail, ['mark-read', 'mark messages as read; all or none'], at, markMailRead, refs);
  add(
    ...([mail, ['move', 'move messages to another box; all or none'], at, moveMail] as const),
    ...[refs, option(destinationOption)],
  );
  add(mail, ['archive', 'move messages to the archive and mark them read'], at, archiveMail, refs);
}

const notifierHelp = `
Without --mode, --context-error-policy or --pre-notification-context-action these return to their defaults; all
other settings stay as they are.`;

function addNotifierCommands(notifier: Command, caller: CommandCaller, whose: Whose): void {
  const at = { caller, whose };
  add(notifier, ['status', 'show whether the notifier is on, and its settings'], at, notifierStatus);
  add(
    ...([notifier, ['enable', 'switch it on, or change its settings'], at, enableNotifier] as const),
    ...[addNotifierFlags, after(notifierHelp)],
  );
  add(notifier, ['disable', 'switch it off; its settings stay'], at, disableNotifier);
}

const registerHelp = `
A flag that is not given takes its value from the agent's launch, else from its brain manifest; without either, the address is the
agent's name at houmao.localhost. On a mail server without --credential-file the credential that is kept here is used; if there is
none, the account is made on a Stalwart server, with HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN (an API key), or …_API_KEY and …_API_SECRET (an administrator's login and password). The agent's gateway uses the mailbox from its next call on, without a restart.`;

const modeOption = (choices: readonly string[], text: string): Option =>
  new Option('--mode <mode>', text).choices([...choices]).default(choices[0]);

function addMailboxCommands(mailbox: Command, caller: CommandCaller, whose: Whose): void {
  const at = { caller, whose };
  const address = new Option('--address <address>', 'mail address of the agent');
  const owner = new Option('--principal-id <id>', 'owner of the mailbox');
  const account = new Option(
    '--mail-account-dir <path>',
    'a private folder for the boxes, outside of the root',
  );
  const yes = new Option('--yes', 'with --mode force: replace the mailbox that has that address');
  addHere(mailbox, ['status', 'show which mailbox the agent has'], at, mailboxStatus);
  addHere(
    ...([mailbox, ['register', 'give the agent a mailbox'], at, registerMailbox] as const),
    (command: Command) => addRootFlag(command, "the agent's own, else "),
    ...[option(() => address), option(() => owner), option(() => account), addMailServerFlags],
    option(() => modeOption(['safe', 'force', 'stash'], 'what to do with another mailbox of that address')),
    ...[option(() => yes), after(registerHelp)],
  );
  addHere(
    ...([mailbox, ['unregister', 'take its mailbox away; messages stay'], at, unregisterMailbox] as const),
    option(() => modeOption(['deactivate', 'purge'], 'keep its folder for later, or remove it')),
  );
}
