import type { MailHandlers } from '../../../generated/gateway/server/mail-handlers.js';
import { MailFacade } from '../../mail/facade/mail-facade.js';
import type { MessageStamps } from '../../mail/transport/mail-transport.js';
import type { Gateway } from '../gateway.js';
import { mailHostObstacle } from '../mail/mail-host.js';
import type { MailCall } from '../mail/message-stamps.js';
import type { MailBinding } from '../mail/session-mailbox.js';
import { type MailNo, mailNo } from './mail-refusal.js';

/** None of these touches the queue: they work while the agent is busy or away. */
export const mailHandlers = (gateway: Gateway): MailHandlers => {
  /** Does it with the agent's mailbox, or says in the words of the contract why not. */
  const serve = async <Sent>(
    refuse: (status: MailNo['status'], body: MailNo['body'], headers?: MailNo['headers']) => Sent,
    work: (facade: MailFacade, mailbox: MailBinding) => Promise<Sent>,
  ): Promise<Sent> => {
    const obstacle = mailHostObstacle(gateway.board.identity.host);
    if (obstacle !== null)
      return refuse(503, { detail: obstacle }, { 'X-Houmao-Error-Code': 'mail_not_served' });
    try {
      return await gateway.mail.mailbox.use(({ binding, transport }) =>
        work(new MailFacade(binding, transport), binding),
      );
    } catch (error) {
      const no = mailNo(error);
      if (no === null) throw error;
      return refuse(no.status, no.body, no.headers);
    }
  };
  const stampsOf = (
    headers: { 'Idempotency-Key'?: string | undefined },
    call: Omit<MailCall, 'key'>,
  ): MessageStamps => gateway.mail.stamps.of({ key: headers['Idempotency-Key'] ?? null, ...call });

  return {
    getMailStatus: (_context, reply) => serve(reply, async (facade) => reply(200, await facade.status())),
    listMail: ({ body }, reply) => serve(reply, async (facade) => reply(200, await facade.list(body))),
    peekMail: ({ body }, reply) => serve(reply, async (facade) => reply(200, await facade.peek(body))),
    readMail: ({ body }, reply) => serve(reply, async (facade) => reply(200, await facade.read(body))),
    fetchMailAttachment: ({ body }, reply) =>
      serve(reply, async (facade) =>
        reply(200, await facade.attachment(body, gateway.mail.attachmentFolder)),
      ),
    sendMail: ({ body, headers }, reply) =>
      serve(reply, async (facade, mailbox) => {
        const sent = await facade.send(body, stampsOf(headers, { operation: 'send', mailbox, body }));
        return reply(200, sent.answer, replayHeader(sent));
      }),
    postMail: ({ body, headers }, reply) =>
      serve(reply, async (facade, mailbox) => {
        const sent = await facade.post(body, stampsOf(headers, { operation: 'post', mailbox, body }));
        return reply(200, sent.answer, replayHeader(sent));
      }),
    replyMail: ({ body, headers }, reply) =>
      serve(reply, async (facade, mailbox) => {
        const sent = await facade.reply(body, stampsOf(headers, { operation: 'reply', mailbox, body }));
        return reply(200, sent.answer, replayHeader(sent));
      }),
    markMail: ({ body }, reply) => serve(reply, async (facade) => reply(200, await facade.mark(body))),
    moveMail: ({ body }, reply) => serve(reply, async (facade) => reply(200, await facade.move(body))),
    archiveMail: ({ body }, reply) => serve(reply, async (facade) => reply(200, await facade.archive(body))),
  };
};

const replayHeader = ({ replayed }: { replayed: boolean }): { 'Idempotency-Replayed'?: 'true' } =>
  replayed ? { 'Idempotency-Replayed': 'true' } : {};
