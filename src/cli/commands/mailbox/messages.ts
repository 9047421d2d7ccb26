import { findStored, listStored, type StoredMessage } from '../../../mail/filesystem/admin/inspect-root.js';
import type { ProjectedRow } from '../../../mail/filesystem/tables/projection-table.js';
import { storedLines, storedTable } from '../../words/mailbox-words.js';
import { type RootCall, withRoot } from './root.js';

/** `mailbox messages list`. */
export const showMessages = (call: RootCall, { address }: { address: string }): Promise<void> =>
  withRoot(call, async (root) => {
    const { registration, messages } = await listStored(root, address);
    return {
      answer: {
        schema_version: 1,
        mailbox_root: root.paths.root,
        address: registration.address,
        registration_id: registration.registration_id,
        messages: messages.map(headingOf),
      },
      lines: storedTable(registration.address, messages, call.output.time),
    };
  });

/** `mailbox messages get`. */
export const showMessage = (
  call: RootCall,
  { address, messageId }: { address: string; messageId: string },
): Promise<void> =>
  withRoot(call, async (root) => {
    const found = await findStored(root, address, messageId);
    const { registration } = found;
    return {
      answer: {
        schema_version: 1,
        mailbox_root: root.paths.root,
        address: registration.address,
        registration_id: registration.registration_id,
        message: messageOf(found),
      },
      lines: storedLines(found, call.output.time),
    };
  });

const headingOf = (row: ProjectedRow) => ({
  message_id: row.message_id,
  thread_id: row.thread_id,
  created_at_utc: row.created_at_utc,
  subject: row.subject,
  sender_address: row.sender_address,
  sender_principal_id: row.sender_principal_id,
  folder: row.folder_name,
  projection_path: row.projection_path,
  canonical_path: row.canonical_path,
});

const messageOf = ({ projection, message, recipients, attachments }: StoredMessage) => ({
  ...headingOf(projection),
  in_reply_to: message.in_reply_to,
  body_markdown: message.body_markdown,
  headers: JSON.parse(message.headers_json) as unknown,
  sender: {
    address: message.sender_address,
    owner_principal_id: message.sender_principal_id,
    display_name: message.sender_display_name,
    role: message.sender_role,
    manifest_path_hint: message.sender_manifest_path_hint,
    registration_id: message.sender_registration_id,
  },
  recipients: recipients.map(({ message_id: _message, recipient_kind: kind, ...rest }) => ({
    kind,
    ...rest,
  })),
  attachments,
});
