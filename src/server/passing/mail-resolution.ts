import { join } from 'node:path';
import { entryPath, mailPaths, realPathOf } from '../../mail/filesystem/root/mail-paths.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { LiveGateway } from './live-gateways.js';

type Binding = NonNullable<Manifest['launch_plan']['mailbox']>;

/**
 * Where the mailbox lies that a manifest names, without opening it, and which live gateway serves it.
 * @returns null when its folder cannot be looked at.
 */
export function mailResolution(binding: Binding, gateway: { live: LiveGateway; paths: SessionPaths } | null) {
  const { transport, principal_id, address, bindings_version } = binding;
  const identity = { transport, principal_id, address, bindings_version };
  const place = placeOf(binding);
  if (place === null) return null;
  return {
    ...{ source: 'manifest_binding' as const, ...identity },
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
        ...{ root: paths.root, mailbox_kind: binding.mailbox_kind ?? ('in_root' as const) },
        ...{ mailbox_path: path, inbox_path: join(path, 'inbox') },
        ...{ sqlite_path: paths.index, local_sqlite_path: join(path, 'mailbox.sqlite') },
      },
    };
  } catch {
    return null;
  }
}

/** One that listens on more than 127.0.0.1 serves no mail. */
const recordOf = ({ live, paths }: { live: LiveGateway; paths: SessionPaths }) =>
  live.host !== '127.0.0.1'
    ? null
    : {
        ...{ source: 'current_instance_record' as const, host: live.host, port: live.port },
        ...{ base_url: `http://127.0.0.1:${live.port}`, protocol_version: 'v1' as const },
        state_path: paths.state,
      };
