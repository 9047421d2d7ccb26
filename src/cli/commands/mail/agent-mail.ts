import { createGatewayClient, type GatewayClient, type Schemas } from '@houmao/sdk';
import { mailboxCommand } from '../../../contract/refusals.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import { unprefixedName } from '../../../launch/agent-name.js';
import { urlOf } from '../../../launch/live-gateway.js';
import type {
  ArchiveBody,
  AttachmentBody,
  ListBody,
  MarkBody,
  MoveBody,
  OneBody,
  PostBody,
  ReplyBody,
  SendBody,
} from '../../../mail/facade/mail-bodies.js';
import { fixedStamps, freshStamp, MailFacade } from '../../../mail/facade/mail-facade.js';
import { MailFault, MailRefusal, wrongValues } from '../../../mail/message/mail-fault.js';
import { openTransport } from '../../../mail/open-transport.js';
import { isCallError } from '../../../protocols/agent-work.js';
import type { CurrentInstance } from '../../../session/current-instance.js';
import { readDeclaredMailbox } from '../../../session/launch-settings.js';
import { readManifest } from '../../../session/manifest.js';
import type { Manifest } from '../../../session/manifest-schema.js';
import { sessionCredentials } from '../../../session/session-secrets.js';
import { isRootKnown } from '../../flags/mailbox-flags.js';
import {
  callFailure,
  callFields,
  outcomeUnknownWords,
  refusalFailure,
  sentenceInFlags,
} from '../../words/call-failure.js';
import { CommandFailure, exitCodes, type FailureFields } from '../../words/command-failure.js';
import type { ChosenAgent } from '../chosen-agent.js';
import { lookForGateway } from '../find-agent.js';

/** The mailbox of an agent. The answers are the same, whether its gateway or this program works on it. */
export interface AgentMail {
  readonly path: 'gateway_backed' | 'manager_direct';
  status(): Promise<Schemas['MailStatus']>;
  list(body: ListBody): Promise<Schemas['MailList']>;
  peek(body: OneBody): Promise<Schemas['MailPeekResult']>;
  read(body: OneBody): Promise<Schemas['MailReadResult']>;
  attachment(body: AttachmentBody): Promise<Schemas['MailAttachmentResult']>;
  /**
   * @param key an idempotency key, under which the message is delivered only once; null leaves it to the program that delivers.
   */
  send(body: SendBody, key: string | null): Promise<Schemas['MailSendResult']>;
  post(body: PostBody, key: string | null): Promise<Schemas['MailPostResult']>;
  reply(body: ReplyBody, key: string | null): Promise<Schemas['MailReplyResult']>;
  mark(body: MarkBody): Promise<Schemas['MailMarkResult']>;
  move(body: MoveBody): Promise<Schemas['MailMoveResult']>;
  archive(body: ArchiveBody): Promise<Schemas['MailArchiveResult']>;
}

/** Returns the mailbox that a manifest names for its agent. @throws {CommandFailure} when it names none. */
export function requireBinding(manifest: Manifest, { agent }: ChosenAgent, { environment }: AgentHost) {
  if (manifest.launch_plan.mailbox) return manifest.launch_plan.mailbox;
  const declared = readDeclaredMailbox(manifest.brain_manifest_path);
  const root = declared?.transport === 'filesystem' ? declared.filesystem_root : undefined;
  const name = unprefixedName(agent.name);
  const known = isRootKnown(root, environment);
  throw new CommandFailure(`${name} has no mailbox.`, exitCodes.failed, {
    errorCode: 'no_mailbox',
    ...(known
      ? { remedies: [['give it one', `houmao-mgr agents mailbox register ${name}`]] }
      : { hint: `Give it one: ${mailboxCommand(name)}` }),
  });
}

/** Decides whether a gateway serves mail: one that listens on more than 127.0.0.1 does not. */
export const servesMail = ({ host }: CurrentInstance): boolean => host === '127.0.0.1';

async function mailGateway({ agent }: ChosenAgent, host: AgentHost): Promise<string | null> {
  const sight = await lookForGateway(agent, host);
  if (sight.state !== 'serving' && sight.state !== 'refusing') return null;
  return servesMail(sight.instance) ? urlOf(sight.instance) : null;
}

/**
 * Works on an agent's mail: through its gateway if one serves it, otherwise directly on the mailbox
 * (docs/decisions.md#mail-from-the-command-line).
 * @throws {CommandFailure} @throws {MailFault} @throws {MailRefusal}
 */
export async function withMailOf<T>(
  chosen: ChosenAgent,
  host: AgentHost,
  work: (mail: AgentMail) => Promise<T>,
): Promise<T> {
  const binding = requireBinding(readManifest(chosen.agent.paths.manifest), chosen, host);
  const url = await mailGateway(chosen, host);
  if (url !== null) return explainedMailCall(work(mailOfGateway(createGatewayClient({ baseUrl: url }))));
  const { paths } = chosen.agent;
  const transport = openTransport(binding, { clock: host.clock, ...sessionCredentials(paths) });
  try {
    return await explainedMailCall(
      work(mailOfMailbox(new MailFacade(binding, transport), paths.mailAttachments, host)),
    );
  } finally {
    transport.close();
  }
}

const mailOfGateway = (client: GatewayClient): AgentMail => ({
  path: 'gateway_backed',
  status: () => client.getMailStatus(),
  list: (body) => client.listMail({ body }),
  peek: (body) => client.peekMail({ body }),
  read: (body) => client.readMail({ body }),
  attachment: (body) => client.fetchMailAttachment({ body }),
  send: (body, key) => client.sendMail({ body, ...keyed(key) }),
  post: (body, key) => client.postMail({ body, ...keyed(key) }),
  reply: (body, key) => client.replyMail({ body, ...keyed(key) }),
  // The gateway checks that at least one mark is given, as the facade does when there is no gateway.
  mark: (body) => client.markMail({ body: body as Schemas['MailMarkRequest'] }),
  move: (body) => client.moveMail({ body }),
  archive: (body) => client.archiveMail({ body }),
});

/** Returns the header with the caller's key; without a key the SDK makes one. */
export const keyed = (key: string | null) => (key === null ? {} : { headers: { 'Idempotency-Key': key } });

function mailOfMailbox(facade: MailFacade, attachments: string, { clock }: AgentHost): AgentMail {
  const stampsFor = (key: string | null) => {
    if (key === null) return fixedStamps(freshStamp(clock.now()));
    throw new CommandFailure(
      "--idempotency-key needs a gateway, and none serves this agent's mail.",
      exitCodes.failed,
      {
        hint: 'Remove --idempotency-key, or start the gateway.',
      },
    );
  };
  return {
    path: 'manager_direct',
    status: () => facade.status(),
    list: (body) => facade.list(body),
    peek: (body) => facade.peek(body),
    read: (body) => facade.read(body),
    attachment: (body) => facade.attachment(body, attachments),
    send: async (body, key) => (await facade.send(body, stampsFor(key))).answer,
    post: async (body, key) => (await facade.post(body, stampsFor(key))).answer,
    reply: async (body, key) => (await facade.reply(body, stampsFor(key))).answer,
    mark: (body) => facade.mark(body),
    move: (body) => facade.move(body),
    archive: (body) => facade.archive(body),
  };
}

/**
 * Rethrows a refusal in the gateway's own words. When an answer was lost, the failure says that the outcome is unknown; when
 * the work was done despite the error, it says that it is done. A program that took either for a refusal would do the work
 * twice.
 */
export async function explainedMailCall<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof MailFault && error.code === 'state_late')
      throw doneDespiteErrorFailure(error.message, error.deliveredRef);
    if (error instanceof MailFault && error.code === 'outcome_unknown')
      throw outcomeUnknownFailure(error.message);
    // The exit code is the same with and without a gateway: a gateway answers these with `mail_refused`, and the others with
    // `mailbox_failed`.
    if (error instanceof MailFault) {
      const exitCode = wrongValues.has(error.code) ? exitCodes.usage : exitCodes.failed;
      throw new CommandFailure(sentenceInFlags(error.message), exitCode, { errorCode: error.code });
    }
    if (error instanceof MailRefusal) throw refusalFailure(error);
    if (!isCallError(error)) throw error;
    if (error.done) throw doneDespiteErrorFailure(error.detail, error.messageRef, callFields(error));
    const lost = error.status === null && error.sent;
    if (!error.outcomeUnknown && !lost && error.idempotencyKey === null) throw callFailure(error);
    throw outcomeUnknownFailure(error.detail, callFields(error));
  }
}

const outcomeUnknownFailure = (detail: string, fields: FailureFields = {}): CommandFailure =>
  new CommandFailure(outcomeUnknownWords(detail), exitCodes.outcomeUnknown, fields);

const doneDespiteErrorFailure = (
  detail: string,
  deliveredRef: string | null,
  { idempotencyKey }: FailureFields = {},
): CommandFailure =>
  new CommandFailure(
    `It is done${deliveredRef === null ? '' : ` (${deliveredRef})`}, so do not do it again: ${detail}`,
    exitCodes.doneDespiteError,
    { idempotencyKey },
  );
