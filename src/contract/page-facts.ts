// The facts of this moment that the page of a surface receives. This file depends on no surface: operations and parameters
// have the names of the contract.

/** Values by the name of their parameter. `null` leaves the parameter empty. */
export type FilledIn = Readonly<Record<string, string | number | null>>;

/** The values in the page's fields, in place of the contract's samples. */
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

/** The answer of an operation that was called within this process. */
export interface OperationAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The values of a call that replace those that the page fills in. */
export interface Instead {
  readonly path?: FilledIn;
  readonly query?: FilledIn;
  readonly body?: unknown;
}

/** Calls an operation with the values that the page fills in, as a person does who presses Execute. It never throws. */
export type AskOperation = (operationId: string, instead?: Instead) => Promise<OperationAnswer>;

/** The operations that would be refused now, each with the sentence of its refusal. */
export type Refusals = Readonly<Record<string, string>>;

/** Supplies the facts of this moment for the page of a surface. It makes only calls that change nothing. */
export interface PageFacts {
  values(ask: AskOperation): Promise<PageValues>;
  /** Called after the values are filled in. */
  refusals(ask: AskOperation): Promise<Refusals>;
}

/** Returns the sentence of a refusal; null for any other answer. */
export function sentenceOf({ status, body }: OperationAnswer): string | null {
  if (status < 400) return null;
  const { detail } = (body ?? {}) as { detail?: unknown };
  if (typeof detail === 'string') return detail;
  const inner = (detail as { detail?: unknown } | null | undefined)?.detail;
  return typeof inner === 'string' ? inner : null;
}

/**
 * Finds the operations that are refused for the same reason as another one. The keys of `alike` are called and change nothing;
 * each refusal counts for the operations listed under its key, too.
 */
export async function refusedAlike(
  ask: AskOperation,
  alike: Readonly<Record<string, readonly string[]>>,
): Promise<Refusals> {
  const entries = await Promise.all(
    Object.entries(alike).map(async ([asked, operations]) => {
      const sentence = sentenceOf(await ask(asked));
      return sentence === null ? [] : [asked, ...operations].map((each) => [each, sentence] as const);
    }),
  );
  return Object.fromEntries(entries.flat());
}

// The facts about the queue, the reminders and the mailbox of one agent, for the pages of both surfaces. The contracts of the
// gateway and the server name these operations differently, and answer them alike.

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
  /** The operations that name a message. */
  readonly namesMessage: readonly string[];
  readonly getTuiState: string;
  readonly getDialog: string;
  readonly answerDialog: string;
  readonly sendKeys: string;
  readonly getMailNotifier: string;
  readonly updateMailNotifier: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Returns the rows of a list in an answer; none where the call was refused. */
export const rowsOf = ({ status, body }: OperationAnswer, list: string): readonly Row[] =>
  status === 200 ? ((body as Readonly<Record<string, readonly Row[] | undefined>>)[list] ?? []) : [];

const valuesOf = (name: string, value: unknown): FilledIn =>
  typeof value === 'string' ? { [name]: value } : {};

/** The states of requests that have ended but were not cancelled: cancelling such a request is refused, and changes nothing. */
const ended: ReadonlySet<unknown> = new Set(['completed', 'failed', 'superseded']);

interface WorkValues {
  readonly shared: FilledIn;
  readonly of: Readonly<Record<string, FilledIn>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly bodies: Readonly<Record<string, unknown>>;
}

/**
 * Returns the ids of the newest request, turn, reminder and message.
 * @param of the agent, as its path parameters.
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

/**
 * Returns the fields for mail. It goes to the sender of the newest message, or else to the agent itself: an address that exists.
 */
function mailFields(message: Row | undefined, mailbox: OperationAnswer): Readonly<Record<string, unknown>> {
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

/** Returns a reminder as it is, as the body that replaces it with itself. */
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

/** Returns the reasons why there is nothing to cancel, no key to type, no message to read and no notifier to switch on. */
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
    ...(nothingToCancel &&
      refusedWith(name.cancelRequest, sentenceOf(await ask(name.cancelRequest, { path: of })))),
    // No dialog is open, so no dialog has the sample's id, and nothing is pressed.
    ...(asksNothing(dialog) &&
      refusedWith(name.answerDialog, sentenceOf(await ask(name.answerDialog, { path: of })))),
    // Called only where there is no terminal, and with a key that no terminal takes: nothing is ever typed.
    ...(sentenceOf(tui) !== null &&
      refusedWith(
        name.sendKeys,
        sentenceOf(await ask(name.sendKeys, { path: of, body: { sequence: '<[None]>' } })),
      )),
    ...(typeof unsupported === 'string' && refusedWith(name.updateMailNotifier, unsupported)),
    // Called only where there is no attachment to fetch.
    ...(noAttachment(message) &&
      refusedWith(name.fetchMailAttachment, sentenceOf(await ask(name.fetchMailAttachment, { path: of })))),
    ...Object.assign({}, ...name.namesMessage.map((each) => refusedWith(each, noMessage))),
  };
}

const asksNothing = ({ status, body }: OperationAnswer): boolean =>
  status === 200 && (body as Row).dialog === null;

const noAttachment = ({ status, body }: OperationAnswer): boolean =>
  status !== 200 || attachmentsOf((body as { message?: Row }).message).length === 0;

const refusedWith = (operation: string, sentence: string | null): Refusals =>
  sentence === null ? {} : { [operation]: sentence };
