import type { OperationId } from '../../../generated/gateway/server/index.js';

/** On which agents an operation is missing. */
export type Missing = 'agents_with_mailbox';

/**
 * The one list of what this release answers with 501 (docs/decisions.md#not-built-yet): what the agent could do and the
 * gateway cannot yet. A test fails when this list and the server disagree.
 */
export const notImplemented: Readonly<
  Partial<Record<OperationId, { on: readonly Missing[]; what: string }>>
> = {
  getMailStatus: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  listMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  peekMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  readMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  sendMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  postMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  replyMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  markMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  moveMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  archiveMail: { on: ['agents_with_mailbox'], what: 'The mail facade' },
  getMailNotifier: { on: ['agents_with_mailbox'], what: 'The mail notifier' },
  updateMailNotifier: { on: ['agents_with_mailbox'], what: 'The mail notifier' },
  disableMailNotifier: { on: ['agents_with_mailbox'], what: 'The mail notifier' },
};

/** The sentence of a 501. */
export const notImplementedText = (operationId: OperationId): string =>
  `${notImplemented[operationId]?.what ?? operationId} cannot be served by this release of the gateway.`;
