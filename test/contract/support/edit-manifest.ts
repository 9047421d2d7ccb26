import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailRefs } from '../../../src/mail/jmap/mail/email-ref.js';
import type { SessionPaths } from '../../../src/session/session-paths.js';

// biome-ignore lint/suspicious/noExplicitAny: tests change what they like in it.
type RawManifest = any;

/** Changes a session's manifest as another program could. */
export function editManifest(paths: SessionPaths, change: (manifest: RawManifest) => void): void {
  const manifest = JSON.parse(readFileSync(paths.manifest, 'utf8')) as RawManifest;
  change(manifest);
  writeFileSync(paths.manifest, JSON.stringify(manifest));
}

/** As if the agent had been launched again: a gateway without tmux identifies its agent by this. */
export const replaceInstance = (paths: SessionPaths): void =>
  editManifest(paths, (manifest) => {
    manifest.registry_generation_id = crypto.randomUUID();
  });

/** An address where no server listens. */
const nowhere = 'http://127.0.0.1:9';

/** A port of the system's on which no server listens, and which fetch would call. */
const closed = 'http://127.0.0.1:47';

const unserved = { address: 'agent-1@agents.localhost', jmapUrl: `${closed}/jmap` };
/** How messages of that mailbox are named. */
export const unservedRefs = mailRefs(unserved);

/** A mailbox on a mail server that nobody runs. */
export const bindMailServer = (paths: SessionPaths): void =>
  bindMailbox(paths, { ...unserved, credential: { password: 'secret-1' } });

/** A mailbox on a mail server. @param credential what its file holds. */
export function bindMailbox(
  paths: SessionPaths,
  { address, jmapUrl, credential }: { address: string; jmapUrl: string; credential: object },
): void {
  const ref = `stalwart-${address.replace('@', '-at-').replaceAll('.', '-')}`;
  mkdirSync(paths.mailSecrets, { recursive: true });
  writeFileSync(join(paths.mailSecrets, `${ref}.json`), JSON.stringify(credential), { mode: 0o600 });
  editManifest(paths, (manifest) => {
    manifest.launch_plan.mailbox = {
      transport: 'stalwart',
      principal_id: `HOUMAO-${address.split('@')[0]}`,
      address,
      bindings_version: crypto.randomUUID(),
      jmap_url: jmapUrl,
      management_url: `${closed}/api`,
      login_identity: address,
      credential_ref: ref,
    };
  });
}

/** The agent runs in a terminal. */
export const becomeTerminal = (paths: SessionPaths): void => becomeBackend(paths, 'local_interactive');

/** The agent stands in a terminal of another server. */
export function becomeRest(
  paths: SessionPaths,
  baseUrl = nowhere,
  backend: 'cao_rest' | 'houmao_server_rest' = 'cao_rest',
): void {
  becomeBackend(paths, backend);
  editManifest(paths, (manifest) => {
    Object.assign(manifest.gateway_authority.control, { api_base_url: baseUrl, terminal_id: 'term-123' });
  });
}

/** The agent is headless and another server runs it. */
export const becomeServerManaged = (paths: SessionPaths, baseUrl = nowhere): void =>
  editManifest(paths, (manifest) => {
    manifest.runtime.agent_def_dir = null;
    Object.assign(manifest.gateway_authority.control, {
      api_base_url: baseUrl,
      managed_agent_ref: 'agent-1',
    });
  });

export function becomeBackend(paths: SessionPaths, backend: string): void {
  editManifest(paths, (manifest) => {
    manifest.backend = backend;
    manifest.launch_plan.backend = backend;
    manifest.agent_launch_authority.backend = backend;
    manifest.headless = null;
    manifest.backend_state = {};
  });
}
