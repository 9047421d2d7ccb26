/** What became of one thing that an export came across. */
export interface Artifact {
  outcome: 'copied' | 'materialized' | 'preserved_symlink' | 'skipped' | 'blocked';
  kind:
    | 'canonical_message'
    | 'mailbox_projection'
    | 'mailbox_local_state'
    | 'mailbox_registration'
    | AttachmentKind;
  reason: string;
  source: string;
  /** Its place in the archive; null where it has none. */
  place: string | null;
  /** What it belongs to. */
  of: {
    address?: string;
    registration_id?: string;
    registration_status?: string;
    message_id?: string;
    attachment_id?: string;
  };
}

type AttachmentKind = 'managed_attachment' | 'path_ref_attachment';
