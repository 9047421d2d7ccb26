import type { OperationId } from '../../../generated/gateway/server/index.js';
import type { MailHandlers } from '../../../generated/gateway/server/mail-handlers.js';
import type { Gateway } from '../gateway.js';
import { notImplementedText } from './not-implemented.js';

/** Why this gateway serves no mail, in the order in which that is checked (docs/decisions.md#mail-refusals). */
function refusalOf(gateway: Gateway, operationId: OperationId): { status: 422 | 501 | 503; detail: string } {
  if (gateway.board.identity.host !== '127.0.0.1') {
    return {
      status: 503,
      detail: 'Mail is only served by a gateway that listens on 127.0.0.1; this one listens on 0.0.0.0.',
    };
  }
  if (!gateway.manifest.launch_plan.mailbox)
    return { status: 422, detail: 'The session manifest has no mailbox binding.' };
  return { status: 501, detail: notImplementedText(operationId) };
}

export const mailHandlers = (gateway: Gateway): MailHandlers => {
  const refuse = (operationId: OperationId) => refusalOf(gateway, operationId);
  return {
    getMailStatus: (_context, reply) => refused(reply, refuse('getMailStatus')),
    listMail: (_context, reply) => refused(reply, refuse('listMail')),
    peekMail: (_context, reply) => refused(reply, refuse('peekMail')),
    readMail: (_context, reply) => refused(reply, refuse('readMail')),
    sendMail: (_context, reply) => refused(reply, refuse('sendMail')),
    postMail: (_context, reply) => refused(reply, refuse('postMail')),
    replyMail: (_context, reply) => refused(reply, refuse('replyMail')),
    markMail: (_context, reply) => refused(reply, refuse('markMail')),
    moveMail: (_context, reply) => refused(reply, refuse('moveMail')),
    archiveMail: (_context, reply) => refused(reply, refuse('archiveMail')),
  };
};

const refused = <Sent>(
  reply: (status: 422 | 501 | 503, body: { detail: string }) => Sent,
  refusal: { status: 422 | 501 | 503; detail: string },
): Sent => reply(refusal.status, { detail: refusal.detail });
