import type { GatewayBody } from './gateway-calls.js';

/** What `POST /mail/check` takes, with its defaults. */
export interface MailCheck {
  readonly unread_only: boolean;
  readonly limit?: number | null;
  readonly since?: string | null;
}

/** A check is a list of the inbox. */
export const listOfCheck = ({ unread_only, limit, since }: MailCheck) => ({
  schema_version: 1 as const,
  box: 'inbox',
  read_state: unread_only ? ('unread' as const) : ('any' as const),
  answered_state: 'any' as const,
  ...(limit != null && { limit }),
  ...(since != null && { since }),
  include_body: false,
});

export function checkOfList(list: GatewayBody<'listMail'>, { unread_only }: MailCheck) {
  const { schema_version, transport, principal_id, address, messages, damaged } = list;
  return {
    ...{ schema_version, transport, principal_id, address, unread_only },
    message_count: list.message_count,
    unread_count: list.unread_count,
    messages,
    ...(damaged && { damaged }),
  };
}

/** What `POST /mail/state` takes. */
export interface MailState {
  readonly message_ref: string;
}

/** `POST /mail/state` goes one way: a message becomes read. */
export const markOfState = ({ message_ref }: MailState) => ({
  schema_version: 1 as const,
  message_refs: [message_ref],
  read: true,
});

export function stateOfMark(mark: GatewayBody<'markMail'>, { message_ref }: MailState) {
  const { schema_version, transport, principal_id, address } = mark;
  return { schema_version, transport, principal_id, address, message_ref, read: true };
}
