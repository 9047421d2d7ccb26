import { type GatewayError, isGatewayError } from '@houmao/sdk';
import type { MailRefusal } from '../../mail/message/mail-fault.js';
import type { AnyCallError } from '../../protocols/agent-work.js';
import {
  CommandFailure,
  type ExitCode,
  exitCodes,
  type FailureFields,
  type Remedy,
} from './command-failure.js';

/** The flag or argument that sets each field of a call; the keys are field paths without their numbers. */
const flags: Readonly<Record<string, string>> = {
  'payload.prompt': 'the prompt',
  prompt: 'the prompt',
  'payload.execution.model.name': '--model',
  'execution.model.name': '--model',
  'payload.execution.model.reasoning.level': '--reasoning',
  'execution.model.reasoning.level': '--reasoning',
  'payload.chat_session': '--new',
  chat_session: '--new',
  'idempotency-key': '--idempotency-key',
  'x-houmao-if-turn': '--turn',
  'x-houmao-metadata': '--metadata',
  metadata: '--metadata',
  'x-houmao-deadline': '--deadline',
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
  'target.url': '--webhook',
  'target.command': '--command',
  events: '--event',
  agents: '--agent',
  description: '--description',
};

/** Returns the flag that sets a field. @param path such as `reminders.0.title` or `to[1]`. @returns null when no flag does */
function flagOf(path: string, operation: string | null): string | null {
  const plain = path.replace(/\[\d+\]/g, '').replace(/\.\d+(?=\.|$)/g, '');
  const inReminder = /Reminder$/.test(operation ?? '') && !plain.startsWith('reminder');
  return flags[inReminder ? `reminders.${plain}` : plain] ?? null;
}

/** Replaces the field at the beginning of a refusal, such as `to[0]: …` or `message_ref "x" …`, by its flag. */
export const sentenceInFlags = (sentence: string): string =>
  sentence.replace(/^[\w.[\]-]+(?=:? )/, (path) => flagOf(path, null) ?? path);

/** Returns the words of gateway or server for a call, with the flags of the command in place of the call's fields. */
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

/**
 * Decides whether a gateway lacks an operation because it is the older implementation's, whose answers have no id; ours give
 * each answer one. Operations that it has work in the same way.
 */
export const isMissingThere = (error: Pick<AnyCallError, 'status' | 'httpRequestId'>): boolean =>
  (error.status === 404 || error.status === 405) && error.httpRequestId === null;

/** Returns the answer of a gateway; null when it lacks the operation. */
export const unlessMissing = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (isGatewayError(error) && isMissingThere(error)) return null;
    throw error;
  });

const missingWords =
  "The gateway is the older implementation's, which cannot do this. Replace it with `agents gateway attach --restart`.";

/** Returns the words of gateway or server for a call, with the flags of the command. */
export const callWords = (error: AnyCallError): string =>
  isMissingThere(error) ? missingWords : detailInFlags(error);

/** The beginnings of the names of operations that change nothing. */
const reads = /^(get|list|peek|fetch|resolve|check)/;
/** The statuses with which a server reports that it, or the program it forwarded to, failed during the work. */
const brokenOff: ReadonlySet<number | null> = new Set([500, 504]);

/** The codes of a gateway or server for a call that would be refused again. */
const wrongValues: ReadonlySet<string> = new Set(['validation_failed', 'mail_refused']);

/** The ways on where another host of the fleet, or the fleet itself, gave no answer, by code. */
const fleetWays: Readonly<Record<string, readonly Remedy[]>> = {
  host_away: [
    ['list the hosts', 'houmao-mgr fleet hosts'],
    ['list the prompts that wait for them', 'houmao-mgr fleet commands'],
  ],
  fleet_offline: [['see since when and why', 'houmao-mgr fleet status']],
};

/** Returns the exit code for the failure of a call. A call that changes nothing never has an unknown outcome. */
export function callExitCode(error: AnyCallError): ExitCode {
  const { status, errorCode, sent, done, outcomeUnknown, idempotencyKey, operationId } = error;
  if (errorCode === 'aborted') return exitCodes.stopped;
  if (done) return exitCodes.doneDespiteError;
  const changes = !reads.test(operationId ?? '');
  // An error carries the key of its call only when the call may have been done.
  if (changes && (outcomeUnknown || idempotencyKey !== null || brokenOff.has(status)))
    return exitCodes.outcomeUnknown;
  if (isMissingThere(error)) return exitCodes.failed;
  if (status === 404) return exitCodes.notFound;
  if (wrongValues.has(errorCode)) return exitCodes.usage;
  if (fleetWays[errorCode] !== undefined) return exitCodes.unreachable;
  if (status !== null) return exitCodes.failed;
  return sent && changes ? exitCodes.outcomeUnknown : exitCodes.unreachable;
}

const refusals: ReadonlySet<ExitCode> = new Set([exitCodes.failed, exitCodes.usage, exitCodes.notFound]);

export const outcomeUnknownWords = (detail: string): string =>
  `It is not known whether this was done; check before you repeat it: ${detail}`;

/**
 * Returns the words of gateway or server, after a beginning that says what they are. @param refused such as `The gateway
 * refused`
 */
export function answerWords(error: AnyCallError, refused: string): string {
  const exitCode = callExitCode(error);
  if (exitCode === exitCodes.outcomeUnknown) return outcomeUnknownWords(callWords(error));
  if (isMissingThere(error)) return missingWords;
  const detail = detailInFlags(error);
  return refusals.has(exitCode) ? `${refused}: ${detail}` : detail;
}

/** Returns the fields of the failure for programs. */
export const callFields = (error: AnyCallError): FailureFields => ({
  errorCode: error.errorCode,
  requestId: error.requestId,
  turnId: error.turnId,
  idempotencyKey: error.idempotencyKey,
});

/** Returns the failure for a value of the command that breaks a rule of mail. */
export const refusalFailure = ({ field, rule }: MailRefusal): CommandFailure =>
  new CommandFailure(sentenceInFlags(`${field} ${rule}.`), exitCodes.usage, {
    errorCode: 'validation_failed',
  });

/** Returns the failure for a refusal by gateway or server, or for no usable answer. @param sentence their words when left out. */
export const callFailure = (
  error: AnyCallError,
  sentence: string = callWords(error),
  remedies: readonly Remedy[] = fleetWays[error.errorCode] ?? [],
): CommandFailure => new CommandFailure(sentence, callExitCode(error), { ...callFields(error), remedies });
