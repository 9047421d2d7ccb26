import type { OperationId } from '../../../generated/gateway/server/index.js';

/** On which agents an operation is missing. */
export type Missing = 'agents_with_mail_server';

/**
 * The one list of what this release answers with 501 (docs/decisions.md#not-built-yet): what the agent could do and the
 * gateway cannot yet. A test fails when this list and the server disagree.
 */
export const notImplemented: Readonly<
  Partial<Record<OperationId, { on: readonly Missing[]; what: string }>>
> = {
  getMailStatus: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  listMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  peekMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  readMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  sendMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  postMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  replyMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  markMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  moveMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
  archiveMail: { on: ['agents_with_mail_server'], what: 'Mail on a mail server' },
};

/** The sentence of a 501. */
export const notImplementedText = (operationId: OperationId): string =>
  `${notImplemented[operationId]?.what ?? operationId} cannot be served by this release of the gateway.`;
