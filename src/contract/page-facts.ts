// What the page of a surface is told of this moment. Knows no surface: operations and parameters go by the contract's names.

/** Values by the name of their parameter. `null` leaves the parameter empty. */
export type FilledIn = Readonly<Record<string, string | number | null>>;

/** What stands in the page's fields instead of the contract's samples. */
export interface PageValues {
  /** For every operation that has the parameter. */
  readonly shared: FilledIn;
  /** For one operation. */
  readonly of: Readonly<Record<string, FilledIn>>;
  /** For every sample of a body that has the field. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The whole body of one operation. */
  readonly bodies: Readonly<Record<string, unknown>>;
}

/** What an operation answered that was asked within this process. */
export interface Asked {
  readonly status: number;
  readonly body: unknown;
}

/** What is asked instead of what the page fills in. */
export interface Instead {
  readonly path?: FilledIn;
  readonly query?: FilledIn;
  readonly body?: unknown;
}

/** Asks an operation with what the page fills in, as whoever presses Execute does. It never throws. */
export type AskOperation = (operationId: string, instead?: Instead) => Promise<Asked>;

/** Why operations would be refused now: the sentence of each, as it would be answered. */
export type Refusals = Readonly<Record<string, string>>;

/** How a surface tells its page of this moment. Only what changes nothing is asked. */
export interface PageFacts {
  values(ask: AskOperation): Promise<PageValues>;
  /** Asked when the values are filled in. */
  refusals(ask: AskOperation): Promise<Refusals>;
}

/** The sentence of a refusal; null for an answer that is none. */
export function sentenceOf({ status, body }: Asked): string | null {
  if (status < 400) return null;
  const { detail } = (body ?? {}) as { detail?: unknown };
  if (typeof detail === 'string') return detail;
  const inner = (detail as { detail?: unknown } | null | undefined)?.detail;
  return typeof inner === 'string' ? inner : null;
}

/** Has each operation of a list say what another one, which changes nothing, is answered. */
export async function refusedAlike(
  ask: AskOperation,
  alike: Readonly<Record<string, readonly string[]>>,
): Promise<Refusals> {
  const told = await Promise.all(
    Object.entries(alike).map(async ([asked, operations]) => {
      const sentence = sentenceOf(await ask(asked));
      return sentence === null ? [] : [asked, ...operations].map((each) => [each, sentence] as const);
    }),
  );
  return Object.fromEntries(told.flat());
}

// What the pages of both surfaces say of the queue, the reminders and the mailbox of one agent. The gateway's contract and the
// server's name these operations differently, and answer them alike.

/** The names of the operations in the contract of a surface. */
export interface WorkOperations {
  readonly listRequests: string;
  readonly cancelRequest: string;
  readonly listReminders: string;
  readonly updateReminder: string;
  readonly listMail: string;
  readonly getMailStatus: string;
  readonly peekMail: string;
  readonly fetchMailAttachment: string;
  /** Those that name a message. */
  readonly namesMessage: readonly string[];
  readonly getTuiState: string;
  readonly getDialog: string;
  readonly answerDialog: string;
  readonly sendKeys: string;
  readonly getMailNotifier: string;
  readonly updateMailNotifier: string;
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of a list in an answer; none where it was refused. */
export const rowsOf = ({ status, body }: Asked, list: string): readonly Row[] =>
  status === 200 ? ((body as Readonly<Record<string, readonly Row[] | undefined>>)[list] ?? []) : [];

const valuesOf = (name: string, value: unknown): FilledIn =>
  typeof value === 'string' ? { [name]: value } : {};

/** Requests that have ended otherwise than by being cancelled: cancelling them is refused, and changes nothing. */
const ended: ReadonlySet<unknown> = new Set(['completed', 'failed', 'superseded']);

interface WorkValues {
  readonly shared: FilledIn;
  readonly of: Readonly<Record<string, FilledIn>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly bodies: Readonly<Record<string, unknown>>;
}

/**
 * The newest request, turn, reminder and message.
 * @param of the agent, in the words of its paths.
 */
export async function workValues(ask: AskOperation, name: WorkOperations, of: FilledIn): Promise<WorkValues> {
  const list = async (operation: string, rows: string, query: FilledIn = {}): Promise<readonly Row[]> =>
    rowsOf(await ask(operation, { path: of, query }), rows);
  const [requests, cancelled, reminders, messages, mailbox] = await Promise.all([
    list(name.listRequests, 'requests'),
    list(name.listRequests, 'requests', { state: 'cancelled', limit: 1 }),
    list(name.listReminders, 'reminders'),
    ask(name.listMail, { path: of, body: { box: 'inbox', limit: 1, ...everyMessage } }).then((answer) =>
      rowsOf(answer, 'messages'),
    ),
    ask(name.getMailStatus, { path: of }),
  ]);
  const turn = requests.map((request) => request.turn as Row | null).find((one) => one !== null);
  const [reminder] = reminders.filter(({ delivery_state: state }) => state !== 'executing');
  return {
    shared: {
      ...valuesOf('request_id', requests[0]?.request_id),
      ...valuesOf('turn_id', turn?.turn_id),
      ...valuesOf('reminder_id', reminder?.reminder_id),
    },
    of: { [name.cancelRequest]: valuesOf('request_id', (cancelled[0] ?? requests[0])?.request_id) },
    fields: mailFields(messages[0], mailbox),
    bodies: reminder ? { [name.updateReminder]: definitionOf(reminder) } : {},
  };
}

const everyMessage = { read_state: 'any', answered_state: 'any', archived: false, include_body: false };

/** Mail goes to whoever wrote last, else to the agent itself: an address that is there. */
function mailFields(message: Row | undefined, mailbox: Asked): Readonly<Record<string, unknown>> {
  const own = mailbox.status === 200 ? (mailbox.body as Row).address : undefined;
  const sender = (message?.sender as Row | undefined)?.address;
  const ref = message?.message_ref;
  const [attached] = attachmentsOf(message);
  return {
    ...(ref !== undefined && { message_ref: ref, message_refs: [ref] }),
    ...(attached && { attachment_id: attached.attachment_id }),
    ...((sender ?? own) !== undefined && { to: [sender ?? own] }),
  };
}

const attachmentsOf = (message: Row | undefined): readonly Row[] =>
  (message?.attachments as readonly Row[] | undefined) ?? [];

/** A reminder as it is, to be put in its own place. */
const definitionOf = (reminder: Row) => ({
  schema_version: 1,
  mode: reminder.mode,
  title: reminder.title,
  ...(reminder.prompt === null ? { send_keys: reminder.send_keys } : { prompt: reminder.prompt }),
  ranking: reminder.ranking,
  paused: reminder.paused,
  deliver_at_utc: reminder.next_due_at_utc,
  ...(reminder.interval_seconds !== null && { interval_seconds: reminder.interval_seconds }),
});

/** Why there is nothing to cancel, no key to be typed, no message to be read and no notifier to be switched on. */
export async function workRefusals(ask: AskOperation, name: WorkOperations, of: FilledIn): Promise<Refusals> {
  const [requests, cancelled, tui, dialog, notifier, message] = await Promise.all([
    ask(name.listRequests, { path: of }),
    ask(name.listRequests, { path: of, query: { state: 'cancelled', limit: 1 } }),
    ask(name.getTuiState, { path: of }),
    ask(name.getDialog, { path: of }),
    ask(name.getMailNotifier, { path: of }),
    ask(name.peekMail, { path: of }),
  ]);
  const [newest] = rowsOf(requests, 'requests');
  const nothingToCancel =
    rowsOf(cancelled, 'requests').length === 0 && (newest === undefined || ended.has(newest.state));
  const noMessage = sentenceOf(message);
  const unsupported = notifier.status === 200 ? (notifier.body as Row).support_error : sentenceOf(notifier);
  return {
    ...(nothingToCancel && told(name.cancelRequest, sentenceOf(await ask(name.cancelRequest, { path: of })))),
    // No dialog of the sample's id is there, so nothing is pressed.
    ...(asksNothing(dialog) &&
      told(name.answerDialog, sentenceOf(await ask(name.answerDialog, { path: of })))),
    // Asked only where there is no terminal, and for a key that no terminal takes: none is ever typed.
    ...(sentenceOf(tui) !== null &&
      told(
        name.sendKeys,
        sentenceOf(await ask(name.sendKeys, { path: of, body: { sequence: '<[None]>' } })),
      )),
    ...(typeof unsupported === 'string' && told(name.updateMailNotifier, unsupported)),
    // Asked only where there is none to be fetched.
    ...(noAttachment(message) &&
      told(name.fetchMailAttachment, sentenceOf(await ask(name.fetchMailAttachment, { path: of })))),
    ...Object.assign({}, ...name.namesMessage.map((each) => told(each, noMessage))),
  };
}

const asksNothing = ({ status, body }: Asked): boolean => status === 200 && (body as Row).dialog === null;

const noAttachment = ({ status, body }: Asked): boolean =>
  status !== 200 || attachmentsOf((body as { message?: Row }).message).length === 0;

const told = (operation: string, sentence: string | null): Refusals =>
  sentence === null ? {} : { [operation]: sentence };
