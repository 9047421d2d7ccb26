/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export interface Principal {
  principalId: string;
  address: string;
  displayName: string | null;
  manifestPathHint: string | null;
  role: string | null;
}

export interface Attachment {
  attachmentId: string;
  /** `path_ref`: a file that stays where it is; `managed_copy`: a file below the root. */
  kind: 'path_ref' | 'managed_copy';
  path: string;
  mediaType: string;
  sha256: string | null;
  sizeBytes: number | null;
  label: string | null;
}

export interface NotifyBlock {
  text: string;
  placement: 'append' | 'prepend';
}

/** Of the schemes shared-token, hmac-sha256 and jws, only the names exist so far. */
export interface NotifyAuth {
  scheme: 'none';
  token: string | null;
  iss: string | null;
  iat: string | null;
  exp: string | null;
}

/** The content of a message's file, its canonical form. */
export interface MailMessage {
  messageId: string;
  threadId: string;
  inReplyTo: string | null;
  /** Ids from the root of the thread to the parent. */
  references: string[];
  createdAtUtc: string;
  from: Principal;
  to: Principal[];
  cc: Principal[];
  replyTo: Principal[];
  subject: string;
  attachments: Attachment[];
  headers: Record<string, JsonValue>;
  notifyBlock: NotifyBlock | null;
  notifyAuth: NotifyAuth | null;
  body: string;
}

export const protocolVersion = 3;

/** Makes a principal of which nothing else is known. */
export const plainPrincipal = (principalId: string, address: string): Principal => ({
  principalId,
  address,
  displayName: null,
  manifestPathHint: null,
  role: null,
});

/** Returns all recipients, each address once. */
export function recipientsOf({ to, cc }: Pick<MailMessage, 'to' | 'cc'>): Principal[] {
  const byAddress = new Map<string, Principal>();
  for (const each of [...to, ...cc]) if (!byAddress.has(each.address)) byAddress.set(each.address, each);
  return [...byAddress.values()];
}
