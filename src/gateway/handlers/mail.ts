import type { MailHandlers } from '../../../generated/gateway/server/mail-handlers.js';
import type { Delivered, MailView, MessageStamp } from '../../mail/transport/mail-transport.js';
import type { Gateway } from '../gateway.js';
import type { OpenMailbox } from '../mail/session-mailbox.js';
import { type MailNo, mailNo } from './mail-refusal.js';
import { mailHead, mailList, mailMessage, mailQuery, markChanges, outgoingMail } from './mail-wire.js';

const loopback = '127.0.0.1';

/** None of these touches the queue: they work while the agent is busy or away. */
export const mailHandlers = (gateway: Gateway): MailHandlers => {
  /** Does it with the agent's mailbox, or says in the words of the contract why not. */
  const serve = async <Sent>(
    refuse: (status: MailNo['status'], body: MailNo['body']) => Sent,
    work: (mailbox: OpenMailbox) => Promise<Sent>,
  ): Promise<Sent> => {
    const { host } = gateway.board.identity;
    if (host !== loopback)
      return refuse(503, {
        detail: `Mail is only served by a gateway that listens on ${loopback}; this one listens on ${host}.`,
      });
    try {
      return await gateway.mail.mailbox.use(work);
    } catch (error) {
      const no = mailNo(error);
      if (no === null) throw error;
      return refuse(no.status, no.body);
    }
  };
  const stampOf = (
    headers: { 'Idempotency-Key'?: string | undefined },
    operation: string,
    body: unknown,
  ): Promise<MessageStamp> => gateway.mail.stamps.of(headers['Idempotency-Key'] ?? null, operation, body);

  return {
    getMailStatus: (_context, reply) =>
      serve(reply, async ({ binding, transport }) => {
        await transport.check();
        return reply(200, { ...mailHead(binding), bindings_version: binding.bindings_version });
      }),
    listMail: ({ body }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const query = mailQuery(body);
        const page = await transport.list(query);
        const shown = { box: query.box, includeBody: body.include_body ?? false };
        return reply(200, { ...mailHead(binding), ...mailList(page, shown) });
      }),
    peekMail: ({ body }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const view = await transport.peek(body.message_ref, body.box ?? null);
        return reply(200, { ...mailHead(binding), operation: 'peek', message: mailMessage(view) });
      }),
    readMail: ({ body }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const view = await transport.read(body.message_ref, body.box ?? null);
        return reply(200, { ...mailHead(binding), operation: 'read', message: mailMessage(view) });
      }),
    sendMail: ({ body, headers }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const mail = { ...outgoingMail(body), to: body.to, cc: body.cc ?? [], subject: body.subject };
        const sent = await transport.send(mail, await stampOf(headers, 'send', body));
        const answer = {
          ...mailHead(binding),
          operation: 'send',
          message: mailMessage(sent.message),
        } as const;
        return reply(200, answer, replayHeader(sent));
      }),
    postMail: ({ body, headers }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const replyPolicy = body.reply_policy ?? 'operator_mailbox';
        const mail = { ...outgoingMail(body), subject: body.subject, replyPolicy };
        const sent = await transport.post(mail, await stampOf(headers, 'post', body));
        const answer = {
          ...mailHead(binding),
          operation: 'post',
          message: mailMessage(sent.message),
        } as const;
        return reply(200, answer, replayHeader(sent));
      }),
    replyMail: ({ body, headers }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const stamp = await stampOf(headers, 'reply', body);
        const sent = await transport.reply(body.message_ref, outgoingMail(body), stamp);
        const answer = {
          ...mailHead(binding),
          operation: 'reply',
          message: mailMessage(sent.message),
        } as const;
        return reply(200, answer, replayHeader(sent));
      }),
    markMail: ({ body }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const views = await transport.mark(body.message_refs, markChanges(body));
        return reply(200, { ...mailHead(binding), operation: 'mark', ...changed(views) });
      }),
    moveMail: ({ body }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const views = await transport.move(body.message_refs, body.destination_box);
        return reply(200, { ...mailHead(binding), operation: 'move', ...changed(views) });
      }),
    archiveMail: ({ body }, reply) =>
      serve(reply, async ({ binding, transport }) => {
        const views = await transport.move(body.message_refs, 'archive');
        return reply(200, { ...mailHead(binding), operation: 'archive', ...changed(views) });
      }),
  };
};

const changed = (views: readonly MailView[]) => ({
  message_count: views.length,
  messages: views.map(mailMessage),
});

const replayHeader = ({ replayed }: Delivered): { 'Idempotency-Replayed'?: 'true' } =>
  replayed ? { 'Idempotency-Replayed': 'true' } : {};
