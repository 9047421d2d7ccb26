import { basename } from 'node:path';
import type { AgentHost } from '../../../launch/agent-host.js';
import { seeGateway, urlOf } from '../../../launch/live-gateway.js';
import { mailboxPlace } from '../../../mail/filesystem/mailbox-place.js';
import { openMailRoot } from '../../../mail/filesystem/open-mail-root.js';
import { readManifest } from '../../../session/manifest.js';
import { turnHostOf } from '../../../session/manifest-facts.js';
import type { Manifest } from '../../../session/manifest-schema.js';
import type { SessionPaths } from '../../../session/session-paths.js';
import type { AgentCall } from '../chosen-agent.js';
import { requireBinding, servesMail } from './agent-mail.js';

type Binding = NonNullable<Manifest['launch_plan']['mailbox']>;

/** `mail resolve-live`: where an agent's mailbox is and which gateway serves it now, for programs. */
export async function resolveLive({ chosen, host, output }: AgentCall): Promise<void> {
  const { paths } = chosen.agent;
  const manifest = readManifest(paths.manifest);
  const binding = requireBinding(manifest, chosen, host);
  const { transport, principal_id, address, bindings_version } = binding;
  const identity = { transport, principal_id, address, bindings_version };
  const gateway = await gatewayRecord(paths);
  const live = {
    ...{ schema_version: 1, source: 'manifest_binding', ...identity },
    mailbox: { ...identity, ...(await transportPart(binding, host)) },
    ...{ gateway, gateway_available: gateway !== null },
    managed_agent: {
      ...{ mode: 'local', agent_ref: manifest.agent_id, tracked_agent_id: basename(paths.root) },
      ...{ agent_name: manifest.agent_name, agent_id: manifest.agent_id },
      tmux_session_name: turnHostOf(manifest) === 'tmux' ? (manifest.tmux_session_name ?? null) : null,
    },
  };
  output.result(live, JSON.stringify(live, null, 2).split('\n'));
}

async function transportPart(binding: Binding, { clock }: AgentHost): Promise<object> {
  if (binding.transport !== 'filesystem') {
    const { jmap_url, management_url, login_identity, credential_ref } = binding;
    return { stalwart: { jmap_url, management_url, login_identity, credential_ref } };
  }
  const root = openMailRoot(binding.filesystem_root, clock);
  try {
    const place = await mailboxPlace(root, binding.address, binding.mailbox_path ?? null);
    return {
      filesystem: {
        ...{ root: place.root, mailbox_kind: binding.mailbox_kind ?? 'in_root' },
        ...{ mailbox_path: place.mailboxPath, inbox_path: place.inboxPath },
        ...{ sqlite_path: place.sqlitePath, local_sqlite_path: place.localSqlitePath },
      },
    };
  } finally {
    root.close();
  }
}

/** The gateway that serves this caller's mail. */
async function gatewayRecord(paths: SessionPaths): Promise<object | null> {
  const sight = await seeGateway(paths);
  if (sight.state !== 'serving' || !servesMail(sight.instance)) return null;
  const { host, port, protocol_version } = sight.instance;
  return {
    ...{ source: 'current_instance_record', host, port, base_url: urlOf(sight.instance) },
    ...{ protocol_version, state_path: paths.state },
  };
}
