import { type GatewayError, isGatewayError } from '@houmao/sdk';
import type { HoumaoError } from '@houmao/sdk/managed-agent';
import type { MailRefusal } from '../../mail/message/mail-fault.js';
import {
  CommandFailure,
  type ExitCode,
  exitCodes,
  type FailureFields,
  type Remedy,
} from './command-failure.js';

/** A field of a call, without the numbers in its path, and the flag or argument that fills it in. */
const flags: Readonly<Record<string, string>> = {
  'payload.prompt': 'the prompt',
  prompt: 'the prompt',
  'payload.execution.model.name': '--model',
  'execution.model.name': '--model',
  'payload.execution.model.reasoning.level': '--reasoning',
  'execution.model.reasoning.level': '--reasoning',
  'payload.chat_session': '--new',
  chat_session: '--new',
  'Idempotency-Key': '--idempotency-key',
  'X-Houmao-If-Turn': '--turn',
  sequence: 'the keys',
  dialog_id: '--dialog',
  choice: '--choose',
  request_id: 'the request id',
  turn_id: 'the turn id',
  reminder_id: 'the reminder id',
  'reminders.title': '--title',
  'reminders.prompt': '--prompt',
  'reminders.send_keys.sequence': '--keys',
  'reminders.ranking': '--ranking',
  'reminders.start_after_seconds': '--in',
  'reminders.deliver_at_utc': '--at',
  'reminders.interval_seconds': '--every',
  interval_seconds: '--interval',
  appendix_text: '--appendix-text',
  notify_block_shared_tokens: '--notify-block-token-file',
  notify_block_per_message_chars: '--notify-block-per-message-chars',
  notify_block_total_chars: '--notify-block-total-chars',
  to: '--to',
  cc: '--cc',
  subject: '--subject',
  body_content: '--body-content',
  'attachments.path': '--attach',
  'notify_block.text': '--notify-block',
  message_ref: '--message-ref',
  message_refs: '--message-ref',
  attachment_id: '--attachment-id',
  box: '--box',
  destination_box: '--destination-box',
  limit: '--limit',
  since: '--since',
  address: '--address',
  owner_principal_id: '--principal-id',
  output_dir: '--output-dir',
};

/** @param path such as `reminders.0.title` or `to[1]`. @returns null for what no flag fills in */
function flagOf(path: string, operation: string | null): string | null {
  const plain = path.replace(/\[\d+\]/g, '').replace(/\.\d+(?=\.|$)/g, '');
  const inReminder = /Reminder$/.test(operation ?? '') && !plain.startsWith('reminder');
  return flags[inReminder ? `reminders.${plain}` : plain] ?? null;
}

/** A refusal that begins with the field it is about, such as `to[0]: …` or `message_ref "x" …`, with the flag in its place. */
export const sentenceInFlags = (sentence: string): string =>
  sentence.replace(/^[\w.[\]-]+(?=:? )/, (path) => flagOf(path, null) ?? path);

/** The words of gateway or server for a call, with the flags of the command in place of the call's fields. */
export function detailInFlags({
  items = [],
  detail,
  operationId,
}: Partial<Pick<GatewayError, 'items'>> & { detail: string; operationId: string | null }): string {
  if (items.length === 0) return sentenceInFlags(detail);
  const named = items.map(({ loc: [place, ...path], msg }) => {
    const field = path.join('.');
    return field === '' ? `${place}: ${msg}` : `${flagOf(field, operationId) ?? field}: ${msg}`;
  });
  return named.join('; ');
}

type CallError = GatewayError | HoumaoError;

/**
 * Whether a gateway has no such operation, since it is the older implementation's: ours give each answer an id. What it has is the
 * same for both.
 */
export const isMissingThere = (error: Pick<CallError, 'status' | 'httpRequestId'>): boolean =>
  (error.status === 404 || error.status === 405) && error.httpRequestId === null;

/** The answer of a gateway; null where it has no such operation. */
export const unlessMissing = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (isGatewayError(error) && isMissingThere(error)) return null;
    throw error;
  });

const missingWords =
  "The gateway is the older implementation's, which cannot do this. Replace it with `agents gateway attach --restart`.";

/** The words of gateway or server for a call, in the flags of the command. */
export const callWords = (error: CallError): string =>
  isMissingThere(error) ? missingWords : detailInFlags(error);

/** The operations that change nothing, by their names. */
const reads = /^(get|list|peek|fetch|resolve|check)/;
/** By these a server says that it, or who was to do it, failed over it. */
const brokenOff: ReadonlySet<number | null> = new Set([500, 504]);

/** The codes of a gateway or server for a call that would be refused again. */
const wrongValues: ReadonlySet<string> = new Set(['validation_failed', 'mail_refused']);

/** What the failure of a call means for whoever started the command. Of a call that changes nothing nothing can be left open. */
export function callExitCode(error: CallError): ExitCode {
  const { status, errorCode, sent, done, mayBeDone, idempotencyKey, operationId } = error;
  if (errorCode === 'aborted') return exitCodes.stopped;
  if (done) return exitCodes.doneAllTheSame;
  const changes = !reads.test(operationId ?? '');
  // An error has the key of its call where something may be done only.
  if (changes && (mayBeDone || idempotencyKey !== null || brokenOff.has(status))) return exitCodes.notKnown;
  if (isMissingThere(error)) return exitCodes.failed;
  if (status === 404) return exitCodes.notFound;
  if (wrongValues.has(errorCode)) return exitCodes.usage;
  if (status !== null) return exitCodes.failed;
  return sent && changes ? exitCodes.notKnown : exitCodes.unreachable;
}

const refusals: ReadonlySet<ExitCode> = new Set([exitCodes.failed, exitCodes.usage, exitCodes.notFound]);

export const unknownWords = (detail: string): string =>
  `It is not known whether this was done; check before you repeat it: ${detail}`;

/** A server names the route that starts a gateway; here stands the command that asks the same server for it. */
const commandInstead = (sentence: string): string =>
  sentence.replace(
    /POST \/houmao\/agents\/([^/\s]+)\/gateway\/attach starts one\./,
    (_route, agent: string) =>
      `Start one: houmao-mgr agents gateway attach ${decodeURIComponent(agent)} --server <url>`,
  );

/** The words of gateway or server, behind those that say what they are. @param refused such as `The gateway refused` */
export function answerWords(error: CallError, refused: string): string {
  const exitCode = callExitCode(error);
  if (exitCode === exitCodes.notKnown) return unknownWords(callWords(error));
  if (isMissingThere(error)) return missingWords;
  const detail = commandInstead(detailInFlags(error));
  return refusals.has(exitCode) ? `${refused}: ${detail}` : detail;
}

/** What programs are told of it. */
export const callFields = (error: CallError): FailureFields => ({
  errorCode: error.errorCode,
  requestId: error.requestId,
  turnId: 'turnId' in error ? error.turnId : null,
  idempotencyKey: error.idempotencyKey,
});

/** A rule of mail that a value of the command breaks. */
export const refusalFailure = ({ field, rule }: MailRefusal): CommandFailure =>
  new CommandFailure(sentenceInFlags(`${field} ${rule}.`), exitCodes.usage, {
    errorCode: 'validation_failed',
  });

/** A refusal, or no usable answer, told by gateway or server. @param sentence left out, theirs. */
export const callFailure = (
  error: CallError,
  sentence: string = callWords(error),
  remedies: readonly Remedy[] = [],
): CommandFailure =>
  new CommandFailure(commandInstead(sentence), callExitCode(error), { ...callFields(error), remedies });
