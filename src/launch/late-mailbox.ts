import { rmSync } from 'node:fs';
import { systemFaultOf } from '../foundation/system-fault.js';
import type { DeregistrationMode } from '../mail/filesystem/registration/deregister.js';
import type { RegistrationMode } from '../mail/filesystem/registration/plan-registration.js';
import type { Registered } from '../mail/filesystem/registration/register.js';
import type { RegistrationRow } from '../mail/filesystem/tables/registration-table.js';
import { MailFault } from '../mail/message/mail-fault.js';
import { patchMailbox, readManifest } from '../session/manifest.js';
import type { MailBinding, Manifest } from '../session/manifest-schema.js';
import { noteMailbox } from '../session/registry.js';
import type { SessionPaths } from '../session/session-paths.js';
import { knownTool } from '../tools/tool-registry.js';
import type { AgentHost } from './agent-host.js';
import { installSkills, mailSkills } from './install-skills.js';
import { LaunchFault, LaunchRefused } from './launch-fault.js';
import type { MailboxSettings, ServerMailboxSettings } from './launch-request.js';
import { closeMailbox, mailboxRecord, openMailbox } from './open-mailbox.js';
import { andStays, openServerMailbox } from './server-mailbox.js';

/**
 * Gives a running agent a mailbox, or another one. Its gateway, if it has one, uses it from its next call on.
 * @throws {LaunchRefused}
 */
export async function bindMailbox(
  paths: SessionPaths,
  settings: MailboxSettings,
  mode: RegistrationMode,
  host: AgentHost,
): Promise<{ binding: MailBinding; registered: Registered }> {
  const manifest = readManifest(paths.manifest);
  const displayName = manifest.agent_name ?? null;
  const owner = { ...namesIn(manifest), manifestPath: paths.manifest, displayName };
  const bound = await openMailbox(settings, owner, mode, host.clock);
  give(paths, manifest, bound.binding, host);
  return bound;
}

/**
 * Like `bindMailbox`, with a mailbox on a mail server.
 * @throws {LaunchRefused} @throws {UnusableFile}
 * @throws {LaunchFault} also if an account was made, which stays, and could not be given to the agent.
 */
export async function bindServerMailbox(
  paths: SessionPaths,
  settings: ServerMailboxSettings,
  host: AgentHost,
): Promise<MailBinding> {
  const manifest = readManifest(paths.manifest);
  const { binding, stays } = await openServerMailbox(settings, namesIn(manifest), host);
  try {
    give(paths, manifest, binding, host);
  } catch (error) {
    if (stays === null || !(error instanceof Error)) throw error;
    const what = systemFaultOf(error, paths.root) ?? error.message;
    throw new LaunchFault(`${andStays(what, stays)}.`, { cause: error });
  }
  return binding;
}

const namesIn = ({ tool, launch_plan: { role_injection }, agent_name }: Manifest) => ({
  tool,
  role: role_injection.role_name,
  identity: agent_name ?? null,
});

function give(paths: SessionPaths, manifest: Manifest, binding: MailBinding, host: AgentHost): void {
  publish(paths, manifest, binding, host);
  const tool = knownTool(manifest.tool);
  if (tool !== null) installSkills(tool, manifest.launch_plan.home_selector.home_path, mailSkills);
}

/**
 * Removes an agent's mailbox, so that no mail can be delivered to it any more. Messages stay; with `purge` its folder is removed.
 * A mailbox that belongs to another owner by now is not touched. One on a mail server stays as it is.
 * @returns a null row for a registration that had ended already, for a mail server, and if a step failed: `leftUndone` has a
 * sentence for each.
 * @throws {LaunchRefused} if it has none.
 */
export async function unbindMailbox(
  paths: SessionPaths,
  mode: DeregistrationMode,
  host: AgentHost,
): Promise<{ binding: MailBinding; row: RegistrationRow | null; leftUndone: string[] }> {
  const manifest = readManifest(paths.manifest);
  const { mailbox: binding } = manifest.launch_plan;
  if (!binding)
    throw new LaunchRefused({ code: 'mailbox_refused', reason: 'the agent has none', isInput: false });
  const leftUndone: string[] = [];
  const row =
    binding.transport === 'stalwart'
      ? null
      : await closeMailbox(binding, mode, host.clock).catch((error) => unlessEnded(error, leftUndone));
  publish(paths, manifest, null, host);
  return { binding, row, leftUndone };
}

/**
 * Ignores the errors that are no obstacle: a registration that was ended before, or when an earlier attempt was cut off, and a
 * root that is gone, because no mail can be delivered there.
 */
function unlessEnded(error: unknown, leftUndone: string[]): null {
  if (!(error instanceof MailFault)) throw error;
  if (error.code === 'state_late') {
    leftUndone.push(`${error.message}.`);
    return null;
  }
  if (error.code === 'not_registered' || error.code === 'root_missing') return null;
  throw new LaunchRefused({ code: 'mailbox_refused', reason: error.message, isInput: false });
}

function publish(
  paths: SessionPaths,
  { agent_id: id, registry_generation_id: generation }: Manifest,
  binding: MailBinding | null,
  { registryRoot }: AgentHost,
): void {
  patchMailbox(paths.manifest, binding);
  // The secrets of the earlier mailbox. The host keeps its own, from which a copy is made when it is needed.
  rmSync(paths.mailSecrets, { recursive: true, force: true });
  if (id && generation) noteMailbox(registryRoot, id, generation, mailboxRecord(binding));
}
