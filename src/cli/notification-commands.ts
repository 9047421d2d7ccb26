import { type Command, Option } from 'commander';
import type { AgentHost } from '../launch/agent-host.js';
import type { CommandCaller } from './caller.js';
import {
  type AddFlags,
  addNotification,
  listDeliveries,
  listNotifications,
  removeNotification,
  resendMessage,
  rotateSecret,
  setEnabled,
  showNotification,
  testNotification,
} from './commands/notifications.js';
import {
  collectTexts,
  type JsonFlag,
  jsonOption,
  type ServerFlag,
  serverOption,
  toInteger,
} from './flags/options.js';
import type { Output } from './words/terminal-output.js';
import { collectKinds } from './work-commands.js';

type Flags = ServerFlag & JsonFlag;

/** `notify`: has the server send events of agents to webhooks, to the desktop and to commands. */
export function addNotify(program: Command, caller: CommandCaller): void {
  const notify = program
    .command('notify')
    .description('have a webhook, the desktop or a command notified when an agent needs you, or a turn ends');
  const ended = (command: Command): Command => command.addOption(serverOption()).addOption(jsonOption());
  type Act = (id: string, flags: Flags, host: AgentHost, output: Output) => Promise<void>;
  const ofOne = (name: string, description: string, act: Act): Command =>
    ended(notify.command(`${name} <notification-id>`).description(description)).action(
      (id: string, flags: Flags) => act(id, flags, caller.host(), caller.output(flags)),
    );
  ended(
    notify
      .command('add [args...]')
      .description('add a notification; the arguments of a command follow --')
      .option('--webhook <url>', 'send a signed POST there (Standard Webhooks)')
      .option('--desktop', 'show a notice on the desktop of the user who runs the server, by notify-send')
      .option(
        '--command <program>',
        'run a program with the event on its standard input; on this machine only',
      )
      .option('--agent <name>', 'only events of this agent (repeatable; default: all)', collectTexts)
      .addOption(
        new Option(
          '--event <kind>',
          'only events of this kind (repeatable; default: dialog_shown and turn_ended)',
        ).argParser(collectKinds),
      )
      .option('--description <text>', 'a text for people')
      .option('--disabled', 'send nothing until it is enabled'),
  ).action((args: string[], flags: AddFlags) =>
    addNotification(args, flags, caller.host(), caller.output(flags)),
  );
  ended(notify.command('list').description('list all notifications, with their state')).action(
    (flags: Flags) => listNotifications(flags, caller.host(), caller.output(flags)),
  );
  ofOne('show', 'show one, with its state', showNotification);
  ofOne('test', 'send a test message now, and say what came of it', testNotification);
  ofOne('enable', 'send again, what happens from now on', (id, flags, host, output) =>
    setEnabled(id, true, flags, host, output),
  );
  ofOne('disable', 'send nothing; what waits is given up', (id, flags, host, output) =>
    setEnabled(id, false, flags, host, output),
  );
  ofOne('rm', 'delete it', removeNotification);
  ofOne('rotate-secret', 'make another secret for a webhook; both sign for 24 hours', rotateSecret);
  ofOne('deliveries', 'list what was sent and what waits, the latest first', listDeliveries).addOption(
    new Option('--limit <number>', 'at most so many (default: 20)').argParser(toInteger(1, 100)),
  );
  ended(notify.command('resend <notification-id> <message-id>').description('send a message again')).action(
    (id: string, message: string, flags: Flags) =>
      resendMessage(id, message, flags, caller.host(), caller.output(flags)),
  );
}
