/** Whatever JSON can say. */
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
  /** `path_ref`: a file that was left where it is; `managed_copy`: one below the root. */
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

/** The schemes shared-token, hmac-sha256 and jws have their names and nothing else yet. */
export interface NotifyAuth {
  scheme: 'none';
  token: string | null;
  iss: string | null;
  iat: string | null;
  exp: string | null;
}

/** What stands in a message's file, its canonical form. */
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

/** A principal of whom no more is known. */
export const plainPrincipal = (principalId: string, address: string): Principal => ({
  principalId,
  address,
  displayName: null,
  manifestPathHint: null,
  role: null,
});

/** Everybody it goes to, each address once. */
export function recipientsOf({ to, cc }: Pick<MailMessage, 'to' | 'cc'>): Principal[] {
  const byAddress = new Map<string, Principal>();
  for (const each of [...to, ...cc]) if (!byAddress.has(each.address)) byAddress.set(each.address, each);
  return [...byAddress.values()];
}
