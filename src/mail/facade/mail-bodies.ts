// What callers of the facade send, as the contract has it: src/gateway/ and the SDK's callers hold the same shapes, and the
// compiler compares them.

export interface ListBody {
  box?: string;
  read_state?: 'any' | 'read' | 'unread';
  answered_state?: 'any' | 'answered' | 'unanswered';
  archived?: boolean | null;
  limit?: number | null;
  /** An ISO 8601 date, or date and time. */
  since?: string | null;
  include_body?: boolean;
}

export interface OneBody {
  message_ref: string;
  box?: string | null;
}

export interface AttachmentBody {
  message_ref: string;
  attachment_id: string;
}

interface OutgoingBody {
  body_content: string;
  attachments?: { path: string; label?: string | null }[];
  notify_block?: { text: string; placement?: 'append' | 'prepend' } | null;
  notify_auth?: NotifyAuthBody | null;
}

export interface NotifyAuthBody {
  scheme?: 'none' | 'shared-token' | 'hmac-sha256' | 'jws';
  token?: string | null;
  iss?: string | null;
  iat?: string | null;
  exp?: string | null;
}

export interface SendBody extends OutgoingBody {
  to: string[];
  cc?: string[];
  subject: string;
}

export interface PostBody extends OutgoingBody {
  subject: string;
  reply_policy?: 'none' | 'operator_mailbox';
}

export interface ReplyBody extends OutgoingBody {
  message_ref: string;
}

export interface MarkBody {
  message_refs: string[];
  read?: boolean | null;
  answered?: boolean | null;
  archived?: boolean | null;
}

export interface MoveBody {
  message_refs: string[];
  destination_box: string;
}

export interface ArchiveBody {
  message_refs: string[];
}

export type AnyOutgoingBody = SendBody | PostBody | ReplyBody;
