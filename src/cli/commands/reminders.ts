import type { Schemas } from '@houmao/sdk';
import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError } from '../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { takesNoKeys } from '../words/agent-kind.js';
import { answerWords, callExitCode, callFailure } from '../words/call-failure.js';
import { CommandFailure, exitCodes, type Remedy } from '../words/command-failure.js';
import type { TimeWords } from '../words/local-time.js';
import { type Output, table } from '../words/terminal-output.js';
import { rankingOf, standingWords } from './reminder-ranking.js';
import { gatewayBy } from './way-to.js';

export interface ReminderFlags extends ServerFlag {
  title?: string;
  prompt?: string;
  keys?: string;
  enter: boolean;
  ranking?: number;
  in?: number;
  at?: string;
  every?: number;
  paused?: boolean;
  /** When left out, a new reminder is kept, and a changed one stays as it was. */
  inMemory?: boolean;
}

/** `agents gateway reminders list`: prints the effective one first, and what blocks each of the others. */
export async function listReminders(
  name: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await gatewayBy(name, flags, host);
  const list = await client.listReminders();
  const { reminders: kept } = await client.listReminders({ query: { kept: true } });
  const keptIds = new Set(kept.map(({ reminder_id }) => reminder_id));
  output.result(
    { ...list, kept_reminder_ids: [...keptIds] },
    list.reminders.length === 0
      ? ['There are no reminders.']
      : table([
          ['REMINDER', 'RANKING', 'DUE', 'EVERY', 'KEPT', 'STATE', 'TITLE'],
          ...list.reminders.map((one) => [
            one.reminder_id,
            String(one.ranking),
            output.time(one.next_due_at_utc),
            one.interval_seconds === null ? '-' : `${one.interval_seconds} s`,
            keptIds.has(one.reminder_id) ? 'yes' : 'no',
            stateOf(one),
            one.title,
          ]),
        ]),
  );
}

/** `agents gateway reminders get`. */
export async function getReminder(
  name: string,
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await gatewayBy(name, flags, host);
  const reminder = await explainedReminderCall(
    client.getReminder({ path: { reminder_id: id } }),
    name,
    flags,
  );
  output.result(reminder, linesOf(reminder, output.time));
}

/** `agents gateway reminders create`. */
export async function createReminder(
  name: string,
  flags: ReminderFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await gatewayBy(name, flags, host);
  const definition = definitionOf(flags, flags.ranking ?? 0);
  const { reminders: present } = await client.listReminders();
  const now = host.clock.now().getTime();
  const due = flags.in === undefined ? Date.parse(flags.at!) : now + flags.in * 1000;
  definition.ranking = flags.ranking ?? rankingOf(present, { mode: definition.mode, due });
  const body = { reminders: [definition] };
  const keep = flags.inMemory !== true;
  const created = await explainedReminderCall(client.createReminders({ query: { keep }, body }), name, flags);
  output.result(
    created,
    created.reminders.flatMap((one) => linesOf(one, output.time)),
  );
  for (const one of created.reminders)
    for (const line of standingWords(present, one, output.time)) output.progress(line);
  if (due < now) output.progress('Its time is over already: it fires as soon as the agent is free.');
  if (!keep) output.progress('It is lost when the gateway stops; without --in-memory it is kept.');
}

/** `agents gateway reminders set`: changes only the given settings, but the time starts to count again. */
export async function setReminder(
  name: string,
  id: string,
  flags: ReminderFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await gatewayBy(name, flags, host);
  const present = await explainedReminderCall(client.getReminder({ path: { reminder_id: id } }), name, flags);
  const body = definitionOf(withPresent(flags, present), flags.ranking ?? present.ranking);
  const query = flags.inMemory === undefined ? {} : { keep: !flags.inMemory };
  const reminder = await explainedReminderCall(
    client.updateReminder({ path: { reminder_id: id }, query, body }),
    name,
    flags,
  );
  output.result(reminder, linesOf(reminder, output.time));
}

/** `agents gateway reminders remove`. */
export async function removeReminder(
  name: string,
  id: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const client = await gatewayBy(name, flags, host);
  const removed = await explainedReminderCall(
    client.deleteReminder({ path: { reminder_id: id } }),
    name,
    flags,
  );
  output.result(removed, [removed.detail]);
}

/** Explains a failed call; when the call may have been done anyway, the failure says that the outcome is unknown. */
async function explainedReminderCall<T>(call: Promise<T>, name: string, flags: ServerFlag): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isCallError(error)) throw error;
    const list = `houmao-mgr agents gateway reminders list ${name}${serverFlagWords(flags)}`;
    if (error.errorCode === 'reminder_refused') throw takesNoKeys(name);
    const remedies: Remedy[] = callExitCode(error) === exitCodes.outcomeUnknown ? [['list them', list]] : [];
    throw callFailure(error, answerWords(error, 'The gateway refused'), remedies);
  }
}

function definitionOf(flags: ReminderFlags, ranking: number): Schemas['ReminderDefinition'] {
  const { prompt, keys, in: seconds, at, every } = flags;
  if ((prompt === undefined) === (keys === undefined))
    throw new CommandFailure('Give either --prompt (a prompt) or --keys (raw keys).', exitCodes.usage);
  if ((seconds === undefined) === (at === undefined))
    throw new CommandFailure(
      'Give either --in (how long from now) or --at (a date and time).',
      exitCodes.usage,
    );
  return {
    title: flags.title ?? prompt?.split('\n')[0]?.slice(0, 60) ?? keys ?? '',
    ranking,
    paused: flags.paused ?? false,
    ...(every === undefined
      ? { mode: 'one_off' as const }
      : { mode: 'repeat' as const, interval_seconds: every }),
    ...(prompt === undefined ? { send_keys: { sequence: keys!, ensure_enter: flags.enter } } : { prompt }),
    ...(seconds === undefined ? { deliver_at_utc: at! } : { start_after_seconds: seconds }),
  };
}

function withPresent(flags: ReminderFlags, present: Schemas['Reminder']): ReminderFlags {
  const delivery =
    flags.prompt !== undefined || flags.keys !== undefined
      ? {}
      : present.send_keys
        ? { keys: present.send_keys.sequence, enter: flags.enter && present.send_keys.ensure_enter }
        : { prompt: present.prompt ?? '' };
  const time = flags.in !== undefined || flags.at !== undefined ? {} : { at: present.next_due_at_utc };
  const every = flags.every ?? present.interval_seconds ?? undefined;
  return {
    ...flags,
    title: flags.title ?? present.title,
    paused: flags.paused ?? present.paused,
    ...delivery,
    ...time,
    ...(every === undefined ? {} : { every }),
  };
}

function stateOf(one: Schemas['Reminder']): string {
  if (one.delivery_state === 'executing') return 'being delivered';
  if (one.blocked_by_reminder_id) return `waits behind ${one.blocked_by_reminder_id}`;
  return one.paused ? 'paused' : one.delivery_state;
}

const linesOf = (one: Schemas['Reminder'], time: TimeWords): string[] => [
  `${one.reminder_id}  ${one.title}`,
  ...table([
    ['state', stateOf(one)],
    ['due', time(one.next_due_at_utc)],
    ['every', one.interval_seconds === null ? 'once' : `${one.interval_seconds} s`],
    ['ranking', String(one.ranking)],
    [one.delivery_kind === 'prompt' ? 'prompt' : 'keys', one.prompt ?? one.send_keys?.sequence ?? ''],
  ]).map((line) => `  ${line}`),
];
