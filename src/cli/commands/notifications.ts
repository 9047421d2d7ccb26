import { resolve } from 'node:path';
import type { HoumaoClient, Schemas } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError } from '../../protocols/agent-work.js';
import { type JsonFlag, type ServerFlag, serverFlagWords } from '../flags/options.js';
import { callFailure } from '../words/call-failure.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { TimeWords } from '../words/local-time.js';
import { type Output, quoted, table } from '../words/terminal-output.js';
import { serverClient } from './server/see-servers.js';

type Notification = Schemas['Notification'];
type Target = Schemas['NotificationTarget'];

export interface AddFlags extends ServerFlag, JsonFlag {
  webhook?: string;
  desktop?: boolean;
  /** A program; its arguments follow `--`. */
  command?: string;
  agent?: string[];
  event?: string[];
  description?: string;
  disabled?: boolean;
}

/** Calls the server of the flags, or the one that serves here. */
async function asked<T>(
  flags: ServerFlag,
  host: AgentHost,
  call: (client: HoumaoClient) => Promise<T>,
): Promise<T> {
  const client = await serverClient(
    flags,
    host,
    'Notifications are sent by a managed-agent server, and none runs here.',
  );
  try {
    return await call(client);
  } catch (error) {
    throw isCallError(error) ? callFailure(error) : error;
  }
}

const at = (id: string) => ({ path: { notification_id: id } });

/** `notify add`. */
export async function addNotification(
  args: readonly string[],
  flags: AddFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const body = {
    target: targetOf(flags, args),
    description: flags.description ?? null,
    events: flags.event ?? null,
    agents: flags.agent ?? null,
    enabled: flags.disabled !== true,
  };
  const created = await asked(flags, host, (client) => client.createNotification({ body }));
  const { notification, secret } = created;
  output.result(created, [
    `${notification.notification_id}: ${eventsWords(notification)} of ${agentsWords(notification)} to ${targetWords(notification.target)}`,
    ...(secret === null ? [] : [`Its secret: ${secret}`]),
  ]);
  if (secret !== null) output.progress('Keep the secret: it is not shown again.');
  output.progress(`Try it: houmao-mgr notify test ${notification.notification_id}${serverFlagWords(flags)}`);
}

/** @throws {CommandFailure} unless exactly one target is named. */
function targetOf({ webhook, desktop, command }: AddFlags, args: readonly string[]): Target {
  const named = [webhook, desktop, command].filter((one) => one !== undefined);
  if (named.length !== 1)
    throw new CommandFailure(
      'Name one target: --webhook <url>, --desktop or --command <program>.',
      exitCodes.usage,
    );
  if (command === undefined && args.length > 0)
    throw new CommandFailure('Only --command takes arguments.', exitCodes.usage);
  if (webhook !== undefined) return { kind: 'webhook', url: webhook };
  if (command === undefined) return { kind: 'desktop' };
  // A bare name is found along PATH when it is run, in another folder.
  const program = command.includes('/') ? resolve(command) : command;
  return { kind: 'command', command: [program, ...args] };
}

/** `notify list`. */
export async function listNotifications(flags: ServerFlag, host: AgentHost, output: Output): Promise<void> {
  const list = await asked(flags, host, (client) => client.listNotifications());
  output.result(
    list,
    list.notifications.length === 0
      ? ['There are no notifications.']
      : table([
          ['NOTIFICATION', 'TO', 'EVENTS', 'AGENTS', 'STATE'],
          ...list.notifications.map((one) => [
            one.notification_id,
            targetWords(one.target),
            eventsWords(one),
            agentsWords(one),
            stateWords(one, output.time),
          ]),
        ]),
  );
}

/** `notify show`. */
export async function showNotification(
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const found = await asked(flags, host, (client) => client.getNotification(at(id)));
  output.result(found, linesOf(found, output.time));
}

/** `notify rm`. */
export async function removeNotification(
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const removed = await asked(flags, host, (client) => client.deleteNotification(at(id)));
  output.result(removed, [`Deleted ${id}, which sent to ${targetWords(removed.target)}.`]);
}

/** `notify enable` and `notify disable`. */
export async function setEnabled(
  id: string,
  enabled: boolean,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const updated = await asked(flags, host, async (client) => {
    const { target, description, events, agents } = await client.getNotification(at(id));
    return client.updateNotification({ ...at(id), body: { target, description, events, agents, enabled } });
  });
  output.result(updated, linesOf(updated, output.time));
}

/** `notify test`. @throws {CommandFailure} when the message did not arrive. */
export async function testNotification(
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const attempt = await asked(flags, host, (client) =>
    client.testNotification({ ...at(id), timeoutMs: testMilliseconds }),
  );
  if (!attempt.delivered)
    throw new CommandFailure(attempt.detail, exitCodes.failed, { errorCode: attempt.code });
  output.result(attempt, [attempt.detail]);
}
/** Longer than a program may run. */
const testMilliseconds = 75_000;

/** `notify rotate-secret`. */
export async function rotateSecret(
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const rotated = await asked(flags, host, (client) => client.rotateNotificationSecret(at(id)));
  output.result(rotated, [
    `Its secret from now on: ${rotated.secret}`,
    `The one before it signs too until ${output.time(rotated.previous_valid_until_utc)}.`,
  ]);
}

export interface DeliveriesFlags extends ServerFlag {
  limit?: number;
}

/** `notify deliveries`. */
export async function listDeliveries(
  id: string,
  { limit = 20, ...flags }: DeliveriesFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const list = await asked(flags, host, (client) =>
    client.listNotificationDeliveries({ ...at(id), query: { limit } }),
  );
  output.result(
    list,
    list.deliveries.length === 0
      ? ['Nothing was sent yet.']
      : table([
          ['MESSAGE', 'ABOUT', 'STATE', 'ATTEMPTS', 'LAST ATTEMPT'],
          ...list.deliveries.map((one) => [
            one.message_id,
            one.message.data.title,
            one.next_attempt_at_utc === null
              ? one.state
              : `${one.state}, next ${output.time(one.next_attempt_at_utc)}`,
            String(one.attempts),
            one.last_attempt?.detail ?? '-',
          ]),
        ]),
  );
}

/** `notify resend`. */
export async function resendMessage(
  id: string,
  messageId: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const path = { notification_id: id, message_id: messageId };
  const repeated = await asked(flags, host, (client) => client.repeatNotificationDelivery({ path }));
  output.result(repeated, [`${messageId} waits to be sent again.`]);
}

function targetWords(target: Target): string {
  if (target.kind === 'webhook') return target.url;
  return target.kind === 'desktop' ? 'the desktop' : target.command.map(quoted).join(' ');
}
const eventsWords = ({ events }: Notification): string =>
  (events ?? ['dialog_shown', 'turn_ended']).join(', ');
const agentsWords = ({ agents }: Notification): string =>
  agents === null ? 'all agents' : agents.join(', ');

function stateWords(one: Notification, time: TimeWords): string {
  if (!one.enabled) return one.disabled_reason === null ? 'disabled' : `disabled: ${one.disabled_reason}`;
  if (one.failing_since_utc !== null)
    return `failing since ${time(one.failing_since_utc)}, ${one.pending} waiting: ${one.last_failure?.detail ?? ''}`;
  return one.pending === 0 ? 'enabled' : `enabled, ${one.pending} waiting`;
}

const linesOf = (one: Notification, time: TimeWords): string[] => [
  `${one.notification_id}${one.description === null ? '' : `: ${one.description}`}`,
  `To: ${targetWords(one.target)}`,
  `Events: ${eventsWords(one)}`,
  `Agents: ${agentsWords(one)}`,
  `State: ${stateWords(one, time)}`,
  `Last delivered: ${one.last_delivered_at_utc === null ? 'never' : time(one.last_delivered_at_utc)}`,
  ...(one.missed === 0 ? [] : [`Given up because too many waited: ${one.missed}`]),
];
