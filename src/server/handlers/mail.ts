import { join } from 'node:path';
import type { MailHandlers } from '../../../generated/managed-agent/server/mail-handlers.js';
import type { MailboxHandlers } from '../../../generated/managed-agent/server/mailbox-handlers.js';
import { UnusableFile } from '../../foundation/faults.js';
import { entryPath, mailPaths, realPathOf } from '../../mail/filesystem/root/mail-paths.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { LiveGateway } from '../forwarding/forwarder.js';
import type { GatewayBody } from '../forwarding/gateway-calls.js';
import type { ManagedAgentServer } from '../server.js';
import {
  type Forwarding,
  type ForwardObstacle,
  forwardTo,
  mailboxUnreadable,
  manifestUnreadable,
  noMailbox,
} from './forwarded.js';
import { agentOf } from './refusals.js';

/**
 * Handles mail. The mailbox is checked before the gateway: a call for an agent without a mailbox is refused for that
 * reason, whether or not a gateway runs.
 */
export const mailHandlers = (
  server: Forwarding & Pick<ManagedAgentServer, 'liveGateways' | 'manifests'>,
): MailHandlers & MailboxHandlers => {
  const bindingOf = ({ manifestPath }: ManagedAgent) =>
    manifestPath === null ? null : (server.manifests.read(manifestPath).launch_plan.mailbox ?? null);
  const obstacle = (
    agent: ManagedAgent,
    reference: string,
  ): ForwardObstacle<'no_mailbox' | 'unavailable'> | null => {
    try {
      return bindingOf(agent) ? null : { code: 'no_mailbox', detail: noMailbox(reference) };
    } catch (error) {
      if (error instanceof UnusableFile) return { code: 'unavailable', detail: manifestUnreadable };
      throw error;
    }
  };
  const gatewayOf = async ({ sessionRoot: root }: ManagedAgent) => {
    const live = root === null ? null : await server.liveGateways.of(root);
    return root === null || live === null ? null : { live, paths: sessionPaths(root) };
  };
  const pass = forwardTo(server);
  return {
    resolveAgentMailbox: async ({ path }, reply) => {
      const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
      if (refusal) return refusal;
      const refuse = ({ code, detail }: ForwardObstacle<'no_mailbox' | 'unavailable'>) =>
        reply(503, { detail }, { 'X-Houmao-Error-Code': code });
      const no = obstacle(agent, path.agent_ref);
      if (no !== null) return refuse(no);
      const binding = bindingOf(agent);
      const resolution = binding && mailResolution(binding, await gatewayOf(agent));
      return resolution ? reply(200, resolution) : refuse({ code: 'unavailable', detail: mailboxUnreadable });
    },

    checkAgentMail: pass('listMail', {
      obstacle,
      toGateway: (body) => listOfCheck(body as MailCheck),
      toCaller: (list, asked) => checkOfList(list, asked as MailCheck),
    }),
    setAgentMailState: pass('markMail', {
      obstacle,
      toGateway: (body) => markOfState(body as MailState),
      toCaller: (mark, asked) => stateOfMark(mark, asked as MailState),
    }),

    getAgentMailStatus: pass('getMailStatus', { obstacle }),
    listAgentMail: pass('listMail', { obstacle }),
    peekAgentMail: pass('peekMail', { obstacle }),
    readAgentMail: pass('readMail', { obstacle }),
    fetchAgentMailAttachment: pass('fetchMailAttachment', { obstacle }),
    sendAgentMail: pass('sendMail', { obstacle }),
    postAgentMail: pass('postMail', { obstacle }),
    replyAgentMail: pass('replyMail', { obstacle }),
    markAgentMail: pass('markMail', { obstacle }),
    moveAgentMail: pass('moveMail', { obstacle }),
    archiveAgentMail: pass('archiveMail', { obstacle }),
  };
};

/** The body of `POST /mail/check`, with its defaults. */
interface MailCheck {
  readonly unread_only: boolean;
  readonly limit?: number | null;
  readonly since?: string | null;
}

/** Returns the list call for a check, which is a list of the inbox. */
const listOfCheck = ({ unread_only, limit, since }: MailCheck) => ({
  schema_version: 1 as const,
  box: 'inbox',
  read_state: unread_only ? ('unread' as const) : ('any' as const),
  answered_state: 'any' as const,
  ...(limit != null && { limit }),
  ...(since != null && { since }),
  include_body: false,
});

function checkOfList(list: GatewayBody<'listMail'>, { unread_only }: MailCheck) {
  const { schema_version, transport, principal_id, address, messages, damaged } = list;
  return {
    schema_version,
    transport,
    principal_id,
    address,
    unread_only,
    message_count: list.message_count,
    unread_count: list.unread_count,
    messages,
    ...(damaged && { damaged }),
  };
}

/** The body of `POST /mail/state`. */
interface MailState {
  readonly message_ref: string;
}

/** Returns the mark call for `POST /mail/state`, which can only mark a message as read. */
const markOfState = ({ message_ref }: MailState) => ({
  schema_version: 1 as const,
  message_refs: [message_ref],
  read: true,
});

function stateOfMark(mark: GatewayBody<'markMail'>, { message_ref }: MailState) {
  const { schema_version, transport, principal_id, address } = mark;
  return { schema_version, transport, principal_id, address, message_ref, read: true };
}

type Binding = NonNullable<Manifest['launch_plan']['mailbox']>;

/**
 * Locates the mailbox that a manifest names, without opening it, and the live gateway that serves it.
 * @returns null when its folder cannot be read.
 */
function mailResolution(binding: Binding, gateway: { live: LiveGateway; paths: SessionPaths } | null) {
  const { transport, principal_id, address, bindings_version } = binding;
  const identity = { transport, principal_id, address, bindings_version };
  const place = placeOf(binding);
  if (place === null) return null;
  return {
    source: 'manifest_binding' as const,
    ...identity,
    mailbox: { ...identity, ...place },
    gateway: gateway && recordOf(gateway),
  };
}

function placeOf(binding: Binding) {
  if (binding.transport === 'stalwart') {
    const { jmap_url, management_url, login_identity, credential_ref } = binding;
    return { stalwart: { jmap_url, management_url, login_identity, credential_ref } };
  }
  try {
    const paths = mailPaths(realPathOf(binding.filesystem_root));
    const path = binding.mailbox_path ? realPathOf(binding.mailbox_path) : entryPath(paths, binding.address);
    return {
      filesystem: {
        root: paths.root,
        mailbox_kind: binding.mailbox_kind ?? ('in_root' as const),
        mailbox_path: path,
        inbox_path: join(path, 'inbox'),
        sqlite_path: paths.index,
        local_sqlite_path: join(path, 'mailbox.sqlite'),
      },
    };
  } catch {
    return null;
  }
}

/** Returns null for a gateway that listens on more than 127.0.0.1: it serves no mail. */
const recordOf = ({ live, paths }: { live: LiveGateway; paths: SessionPaths }) =>
  live.host !== '127.0.0.1'
    ? null
    : {
        source: 'current_instance_record' as const,
        host: live.host,
        port: live.port,
        base_url: `http://127.0.0.1:${live.port}`,
        protocol_version: 'v1' as const,
        state_path: paths.state,
      };
