import { isHoumaoError, type Schemas } from '@houmao/sdk/managed-agent';
import { firstCodePoints } from '../../foundation/text.js';
import { shownName, type WorkName, waitingWords } from '../agent-work.js';

// The texts that a model reads: short, one fact a line, every id in them that the next call needs. Pure.

const pageOf = (lines: readonly string[]): string => lines.join('\n');

const cut = (text: string, most: number): string => {
  const shown = firstCodePoints(text, most);
  if (shown.length === text.length) return text;
  return `${shown}\n[cut: ${most} of ${[...text].length} characters; ask for more with max_characters]`;
};

/** The argument of a tool that sets each field of a call; the keys are paths without their numbers. Other fields have the same name. */
const argumentsOf: Readonly<Record<string, string>> = {
  agent_ref: 'agent',
  'payload.prompt': 'text',
  prompt: 'text',
  'reminders.prompt': 'text',
  'reminders.title': 'title',
  'reminders.start_after_seconds': 'in_seconds',
  'reminders.deliver_at_utc': 'at',
  'reminders.interval_seconds': 'every_seconds',
  body_content: 'body',
  'idempotency-key': 'idempotency_key',
};

const argumentOf = (path: string): string => argumentsOf[path.replace(/\.\d+(?=\.|$)/g, '')] ?? path;

/** The routes that sentences of gateways and servers name, and the commands that do the same: no tool does. */
const commands: ReadonlyArray<readonly [RegExp, string]> = [
  [/POST \/houmao\/agents\/[^/\s]+\/gateway\/attach/g, 'houmao-mgr agents gateway attach'],
  [/PUT \/v1\/control\/queue/g, 'houmao-mgr agents gateway resume'],
  [/POST \/v1\/control\/reconcile/g, 'houmao-mgr agents gateway reconcile'],
];

/**
 * Returns a sentence of a gateway or server in the words of the tools: arguments in place of the fields of calls, and commands of a
 * person in place of routes. @param agent the agent of the call, as the caller named it.
 */
export function inToolWords(sentence: string, agent: string): string {
  const named = sentence.replace(/^[\w.-]+(?=: )/, argumentOf);
  return commands.reduce((text, [route, command]) => text.replace(route, `\`${command} ${agent}\``), named);
}

/** Writes an agent at a glance, on one line or two. */
export function agentLine(agent: Schemas['AgentOverview']): string {
  const { queue, running, last_turn: last } = agent;
  const facts = [
    agent.detail && inToolWords(agent.detail, shownName(agent)),
    queue && queue.waiting > 0 ? `${queue.waiting} waiting` : null,
    queue?.paused ? 'queue paused' : null,
    running ? `runs turn ${running.turn_id} since ${running.started_at_utc}` : null,
    !running && last ? `last turn ${last.turn_id} ${last.outcome ?? 'ended, outcome unknown'}` : null,
    agent.has_gateway ? null : 'no gateway',
  ].filter((fact) => fact !== null);
  const head = `${shownName(agent)} (${agent.tool}, ${transportOf(agent.transport)}): ${agent.state}`;
  return [[head, ...facts].join('; '), ...(agent.question ? [`  asks: ${agent.question}`] : [])].join('\n');
}

/** Writes the hosts of a fleet and their agents. @param isMore whether there are further agents. */
export function fleetText(
  { state, detail, host }: Schemas['FleetStatus'],
  hosts: readonly Schemas['FleetHost'][],
  agents: readonly Schemas['AgentIdentity'][],
  isMore: boolean,
): string {
  const alone =
    state === 'online'
      ? []
      : [`${host} is not in its fleet now (${detail ?? state}): all this is what it knew.`];
  return pageOf([
    ...alone,
    ...hosts.map(
      ({ host: name, presence, heard_at_utc, is_this }) =>
        `host ${name}${is_this ? ' (this one)' : ''}: ${presence}${presence === 'online' ? '' : `, last heard of ${heard_at_utc}`}`,
    ),
    ...agents.flatMap(({ tool, transport, place }) =>
      place === undefined
        ? []
        : [
            `${place.reference} (${tool}, ${transportOf(transport)}): ${place.state}${place.presence === 'online' ? '' : `, as of ${place.known_at_utc ?? 'an unknown time'}`}`,
          ],
    ),
    ...(agents.length === 0 ? ['No agent is like that.'] : []),
    ...(isMore ? ['[cut: there are more agents; ask with a longer name or limit]'] : []),
  ]);
}

const transportOf = (transport: string): string => (transport === 'tui' ? 'terminal' : 'headless');

/** Writes a turn: its state, the evidence of its delivery, its end and its answer. @param most the characters of the answer. */
export function turnText(turn: Schemas['TurnRecord'], most: number): string {
  const { delivery, usage, answer } = turn;
  const state =
    turn.state === 'running'
      ? `running since ${turn.started_at_utc}`
      : `ended ${turn.outcome ?? 'with an unknown outcome'} at ${turn.ended_at_utc ?? 'an unknown time'}`;
  const amounts = Object.entries(usage?.amounts ?? {}).flatMap(([name, amount]) =>
    typeof amount === 'number' ? [`${name} ${amount}`] : [],
  );
  return pageOf([
    `turn ${turn.turn_id}: ${state}`,
    `delivery: ${delivery.state}${delivery.evidence === null ? '' : ` (${delivery.evidence})`}`,
    ...(turn.error ? [`error: ${turn.error.code}: ${turn.error.detail}`] : []),
    ...(amounts.length > 0 ? [`usage of the ${usage?.scope}: ${amounts.join(', ')}`] : []),
    ...(answer ? ['', cut(answer.text, most)] : []),
    ...(answer?.truncated ? ['[only the first 1 MiB of the answer is recorded here]'] : []),
  ]);
}

/** Writes a request that has no turn yet, or never will. @param agent its agent, as the caller named it. */
export function requestText(request: Schemas['RequestRecord'], agent: string): string {
  const waits = request.waiting_reason;
  const ended = request.error;
  return pageOf([
    `request ${request.request_id}: ${request.state}${request.state === 'accepted' ? ', not delivered yet' : ''}`,
    ...(waits ? [`${waitingWords(request)}: ${waits.code}: ${inToolWords(waits.detail, agent)}`] : []),
    ...(ended ? [`error: ${ended.code}: ${inToolWords(ended.detail, agent)}`] : []),
    ...(request.superseded_by ? [`replaced by request ${request.superseded_by}`] : []),
  ]);
}

/** Says how to go on with work of which nothing is known now. */
export const unknownWork = (name: WorkName): string =>
  `How the work stands is not known now; it does not depend on this call. Go on with wait(${JSON.stringify(name)}).`;

/** Says how to go on with work that has not ended. */
export const stillAtWork = (name: WorkName): string =>
  `Not ended yet. Go on with wait(${JSON.stringify(name)}).`;

/** Writes the question that an agent asks a person, with its choices. */
export const dialogLines = (dialog: Schemas['Dialog']): string[] => [
  `It asks (${dialog.kind}, ${dialog.dialog_id}, since ${dialog.since_utc}):`,
  dialog.text,
  ...dialog.choices.map(({ number, label, marked }) => `${marked ? '>' : ' '} ${number}. ${label}`),
];

/** Writes an event of an agent on one line, its data as JSON; a gap says why events are missing. */
export function eventLine({ agent_name, tracked_agent_id, event, gap }: Schemas['HostEvent']): string {
  const who = shownName({ agent_name, tracked_agent_id });
  if (event === null) return `${who}: events are missing: ${gap ?? 'the reason is not known'}`;
  return `${event.at_utc} ${who} ${event.kind} ${event.subject_id ?? ''} ${JSON.stringify(event.data)}`;
}

/** Writes a message of a list on one line. */
export const mailHeading = (message: Schemas['MailMessage']): string =>
  `${message.message_ref} ${message.created_at_utc}${message.read === false ? ' unread' : ''} from ${message.sender.address}: ${message.subject}`;

/** Writes a whole message. @param most the characters of its body. */
export const mailText = (message: Schemas['MailMessage'], most: number): string =>
  pageOf([
    `message: ${message.message_ref}`,
    `from: ${message.sender.address}`,
    `to: ${message.to.map(({ address }) => address).join(', ')}`,
    `subject: ${message.subject}`,
    `written: ${message.created_at_utc}`,
    ...message.attachments.map(
      ({ attachment_id, label, media_type }) => `attachment ${attachment_id}: ${label ?? media_type}`,
    ),
    '',
    cut(message.body_text ?? '', most),
  ]);

/** Writes a reminder that was added. */
export const reminderLine = (reminder: Schemas['Reminder']): string =>
  `reminder ${reminder.reminder_id}: due ${reminder.next_due_at_utc}${
    reminder.interval_seconds === null ? '' : `, then every ${reminder.interval_seconds} seconds`
  }${reminder.blocked_by_reminder_id === null ? '' : `; waits behind reminder ${reminder.blocked_by_reminder_id}`}`;

/**
 * Says why a call failed, with the ids that the next call needs.
 * @param agent the agent of the call, as the caller named it.
 * @returns null for a fault of the program itself.
 */
export function failureText(error: unknown, agent: string): string | null {
  if (!isHoumaoError(error)) return null;
  const fields = error.items.map(({ loc, msg }) => `${argumentOf(loc.slice(1).join('.'))}: ${msg}`);
  const ids = [
    error.turnId === null ? null : `turn_id: ${error.turnId}`,
    error.requestId === null ? null : `request_id: ${error.requestId}`,
    error.messageRef === null ? null : `message_ref: ${error.messageRef}`,
    error.retryAfter === null ? null : `Try again in ${error.retryAfter} seconds.`,
    error.idempotencyKey === null ? null : `idempotency_key: ${error.idempotencyKey}`,
  ];
  return pageOf([
    `${error.errorCode}: ${fields.length > 0 ? fields.join('; ') : inToolWords(error.detail, agent)}`,
    ...ids.filter((line) => line !== null),
  ]);
}
