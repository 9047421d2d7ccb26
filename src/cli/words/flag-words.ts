import type { GatewayError } from '@houmao/sdk';

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
