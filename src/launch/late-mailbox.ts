import type { DeregistrationMode } from '../mail/filesystem/registration/deregister.js';
import type { Registered } from '../mail/filesystem/registration/register.js';
import type { RegistrationMode } from '../mail/filesystem/registration/registration-request.js';
import type { RegistrationRow } from '../mail/filesystem/tables/registration-table.js';
import { MailFault } from '../mail/message/mail-fault.js';
import { readManifest } from '../session/manifest.js';
import { patchMailbox } from '../session/manifest-patch.js';
import type { Manifest } from '../session/manifest-schema.js';
import { noteMailbox } from '../session/registry.js';
import type { SessionPaths } from '../session/session-paths.js';
import { knownTool } from '../tools/tool-registry.js';
import type { AgentHost } from './agent-host.js';
import { installMailSkills } from './install-skills.js';
import { LaunchRefused } from './launch-fault.js';
import type { MailboxWish } from './launch-request.js';
import { closeMailbox, type MailBinding, mailboxRecord, openMailbox } from './open-mailbox.js';

/**
 * Gives an agent that runs a mailbox, or another one. Its gateway, if it has one, uses it from its next call on.
 * @throws {LaunchRefused}
 */
export async function bindMailbox(
  paths: SessionPaths,
  wish: MailboxWish,
  mode: RegistrationMode,
  host: AgentHost,
): Promise<{ binding: MailBinding; registered: Registered }> {
  const manifest = readManifest(paths.manifest);
  refuseServer(manifest);
  const name = manifest.agent_name ?? null;
  const owner = {
    ...{ tool: manifest.tool, role: manifest.launch_plan.role_injection.role_name, identity: name },
    ...{ manifestPath: paths.manifest, displayName: name },
  };
  const bound = await openMailbox(wish, owner, mode, host.clock);
  publish(paths, manifest, bound.binding, host);
  const tool = knownTool(manifest.tool);
  if (tool !== null) installMailSkills(tool, manifest.launch_plan.home_selector.home_path);
  return bound;
}

/**
 * Takes an agent's mailbox away: nobody can write to it any more. Messages stay; with `purge` its folder goes. One that
 * belongs to another owner by now is left alone.
 * @returns null for a registration that was over already.
 * @throws {LaunchRefused} where it has none.
 */
export async function unbindMailbox(
  paths: SessionPaths,
  mode: DeregistrationMode,
  host: AgentHost,
): Promise<{ binding: MailBinding; row: RegistrationRow | null }> {
  const manifest = readManifest(paths.manifest);
  refuseServer(manifest);
  const { mailbox: binding } = manifest.launch_plan;
  if (binding?.transport !== 'filesystem')
    throw new LaunchRefused({ code: 'mailbox_refused', reason: 'the agent has none' });
  const row = await closeMailbox(binding, mode, host.clock).catch(unlessOver);
  publish(paths, manifest, null, host);
  return { binding, row };
}

/**
 * A registration that somebody ended before, or that was ended when this was cut off, is no obstacle; nor is a root that is gone,
 * for then nobody can write to it.
 */
function unlessOver(error: unknown): null {
  if (!(error instanceof MailFault)) throw error;
  if (error.code === 'not_registered' || error.code === 'root_missing') return null;
  throw new LaunchRefused({ code: 'mailbox_refused', reason: error.message });
}

function refuseServer({ launch_plan: { mailbox } }: Manifest): void {
  if (mailbox?.transport === 'stalwart')
    throw new LaunchRefused({ code: 'mailbox_refused', reason: `${mailbox.address} is on a mail server` });
}

function publish(
  paths: SessionPaths,
  { agent_id: id, registry_generation_id: generation }: Manifest,
  binding: MailBinding | null,
  { registryRoot }: AgentHost,
): void {
  patchMailbox(paths.manifest, binding);
  if (id && generation) noteMailbox(registryRoot, id, generation, mailboxRecord(binding));
}
