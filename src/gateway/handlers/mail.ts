import type { MailHandlers } from '../../../generated/gateway/server/mail-handlers.js';
import type { components } from '../../../generated/gateway/types.js';
import { UnusableFile } from '../../foundation/faults.js';
import { MailFacade } from '../../mail/facade/mail-facade.js';
import { MailFault, type MailFaultCode, MailRefusal, wrongValues } from '../../mail/message/mail-fault.js';
import type { MessageStamps } from '../../mail/transport/mail-transport.js';
import type { MailBinding } from '../../session/manifest-schema.js';
import type { Gateway } from '../gateway.js';
import type { OutgoingMailCall } from '../mail/session-mail.js';
import { mailHostObstacle, NoMailbox } from '../mail/session-mailbox.js';

/** Handles mail. None of these operations touches the queue: they work while the agent is busy or away. */
export const mailHandlers = (gateway: Pick<Gateway, 'board' | 'mail'>): MailHandlers => {
  /** Runs `work` with the agent's mailbox, or refuses in the words of the contract. */
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
    call: Omit<OutgoingMailCall, 'key'>,
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

/** A refusal that says why nothing was done, or, by its headers, that the work was done nevertheless. */
interface MailNo {
  status: 422 | 502 | 503;
  body: components['schemas']['ErrorText'];
  /** The facts that a caller needs before it repeats the call. */
  headers: {
    'X-Houmao-Done'?: 'true' | 'unknown';
    'X-Houmao-Message-Ref'?: string;
    'X-Houmao-Error-Code'?: 'no_mailbox' | 'mail_refused' | 'mail_not_served' | 'mailbox_failed';
  };
}

/** The faults for work that the agent's transport never does: they answer 422, other faults of the mailbox 502. */
const neverDone: ReadonlySet<MailFaultCode> = new Set(['no_replies']);

/**
 * Converts an error to an answer of the contract; null for an error that is no refusal, but a defect of ours
 * (docs/decisions.md#mail-refusals). The detail is always a sentence: the checks of a request's shape have reported every
 * rule that the contract can express.
 */
export function mailNo(error: unknown): MailNo | null {
  if (error instanceof MailRefusal) return no(422, `${error.field} ${error.rule}.`, refused);
  if (error instanceof MailFault)
    return neverDone.has(error.code)
      ? no(422, error.message, refused)
      : no(502, error.message, wrongValues.has(error.code) ? refused : { ...failed, ...doneHeaders(error) });
  if (error instanceof NoMailbox) return no(422, error.message, unbound);
  if (error instanceof UnusableFile) return no(422, error.message, refused);
  return null;
}

const no = (status: MailNo['status'], detail: string, headers: MailNo['headers'] = {}): MailNo => ({
  status,
  body: { detail },
  headers,
});

const failed = { 'X-Houmao-Error-Code': 'mailbox_failed' } as const;
const refused = { 'X-Houmao-Error-Code': 'mail_refused' } as const;
const unbound = { 'X-Houmao-Error-Code': 'no_mailbox' } as const;

function doneHeaders({ code, deliveredRef }: MailFault): MailNo['headers'] {
  if (code === 'outcome_unknown') return { 'X-Houmao-Done': 'unknown' };
  if (code !== 'state_late') return {};
  return { 'X-Houmao-Done': 'true', ...(deliveredRef !== null && { 'X-Houmao-Message-Ref': deliveredRef }) };
}
