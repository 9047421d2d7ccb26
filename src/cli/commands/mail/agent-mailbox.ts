import { basename, resolve } from 'node:path';
import type { AgentHost } from '../../../launch/agent-host.js';
import { unprefixedName } from '../../../launch/agent-name.js';
import { bindMailbox, bindServerMailbox, unbindMailbox } from '../../../launch/late-mailbox.js';
import type { ServerMailboxSettings } from '../../../launch/launch-request.js';
import { probeGateway, urlOf } from '../../../launch/live-gateway.js';
import { mailboxPlace } from '../../../mail/filesystem/mailbox/active-mailbox.js';
import { openMailRoot } from '../../../mail/filesystem/open-mail-root.js';
import type { DeregistrationMode } from '../../../mail/filesystem/registration/deregister.js';
import type { RegistrationMode } from '../../../mail/filesystem/registration/plan-registration.js';
import { type DeclaredMailbox, readDeclaredMailbox } from '../../../session/launch-settings.js';
import { readManifest } from '../../../session/manifest.js';
import { turnHostOf } from '../../../session/manifest-facts.js';
import type { MailBinding, Manifest } from '../../../session/manifest-schema.js';
import type { SessionPaths } from '../../../session/session-paths.js';
import {
  chosenRoot,
  type MailServerFlags,
  type RootFlags,
  requestedServerMailbox,
} from '../../flags/mailbox-flags.js';
import { CommandFailure, exitCodes, refuseLeftUndone } from '../../words/command-failure.js';
import { registeredLines } from '../../words/mailbox-words.js';
import type { AgentCall } from '../chosen-agent.js';
import { registrationAnswer, unregistrationAnswer } from '../mailbox/registrations.js';
import { requireBinding, servesMail } from './agent-mail.js';

export interface AgentRegisterFlags extends RootFlags, MailServerFlags {
  address?: string;
  principalId?: string;
  mailAccountDir?: string;
  mode: RegistrationMode;
  yes?: boolean;
}

type DeclaredFilesystem = Extract<DeclaredMailbox, { transport: 'filesystem' }>;

/** Returns the first fields of each answer, which identify the agent. */
function agentPart({ chosen }: AgentCall, manifest: Manifest): object {
  return {
    schema_version: 1,
    tracked_agent_id: basename(chosen.agent.paths.root),
    agent_name: manifest.agent_name,
    agent_id: manifest.agent_id,
    backend: manifest.backend,
  };
}

function bindingPart(binding: MailBinding): object {
  const { transport, principal_id, address, bindings_version } = binding;
  const place =
    binding.transport === 'filesystem'
      ? { mailbox_root: binding.filesystem_root }
      : { jmap_url: binding.jmap_url };
  return { transport, principal_id, address, ...place, bindings_version };
}

/** `agents mailbox status`. */
export async function mailboxStatus(call: AgentCall): Promise<void> {
  const manifest = readManifest(call.chosen.agent.paths.manifest);
  const binding = manifest.launch_plan.mailbox ?? null;
  const answer = {
    ...agentPart(call, manifest),
    registered: binding !== null,
    activation_state: binding === null ? null : 'active',
    runtime_mailbox_enabled: binding !== null,
    ...(binding && bindingPart(binding)),
  };
  const where =
    binding?.transport === 'filesystem' ? `in ${binding.filesystem_root}` : `at ${binding?.jmap_url}`;
  call.output.result(answer, [
    binding === null
      ? `${unprefixedName(call.chosen.agent.name)} has no mailbox.`
      : `${unprefixedName(call.chosen.agent.name)} has ${binding.address} ${where}.`,
  ]);
}

/**
 * `agents mailbox register`: settings without a flag are taken from the agent's brain manifest. Another mailbox is replaced
 * only with consent.
 */
export async function registerMailbox(call: AgentCall, flags: AgentRegisterFlags): Promise<void> {
  const { chosen, host, output } = call;
  if (flags.mode === 'force' && !flags.yes)
    throw new CommandFailure(
      '--mode force replaces the mailbox that has this address, with its boxes; add --yes.',
      exitCodes.usage,
    );
  const before = readManifest(chosen.agent.paths.manifest);
  const anyDeclared = readDeclaredMailbox(before.brain_manifest_path);
  const server = requestedServerMailbox(flags, anyDeclared, host.environment);
  if (server !== null) return registerAtServer(call, server, before.launch_plan.mailbox ?? null);
  const declared: Partial<DeclaredFilesystem> = anyDeclared?.transport === 'filesystem' ? anyDeclared : {};
  const root = flags.mailboxRoot === undefined ? declared.filesystem_root : undefined;
  const requested = {
    root: root ?? chosenRoot(flags, host.environment).path,
    address: flags.address ?? declared.address ?? null,
    principalId: flags.principalId ?? declared.principal_id ?? null,
    accountFolder: flags.mailAccountDir === undefined ? undefined : resolve(flags.mailAccountDir),
  };
  const { binding, registered } = await bindMailbox(chosen.agent.paths, requested, flags.mode, host);
  const manifest = readManifest(chosen.agent.paths.manifest);
  const left = leftBehind(before.launch_plan.mailbox ?? null, binding);
  output.result(
    {
      ...agentPart(call, manifest),
      ...bindingPart(binding),
      activation_state: 'active',
      shared_registration: registrationAnswer(registered),
      still_registered: left && bindingPart(left),
    },
    [
      `${unprefixedName(chosen.agent.name)} has ${binding.address} now.`,
      ...registeredLines(registered),
      ...(left === null ? [] : [output.pastable(leftWords(left))]),
    ],
  );
}

async function registerAtServer(
  call: AgentCall,
  requested: ServerMailboxSettings,
  before: MailBinding | null,
): Promise<void> {
  const { chosen, host, output } = call;
  const binding = await bindServerMailbox(chosen.agent.paths, requested, host);
  const left = leftBehind(before, binding);
  output.result(
    {
      ...agentPart(call, readManifest(chosen.agent.paths.manifest)),
      ...bindingPart(binding),
      activation_state: 'active',
      still_registered: left && bindingPart(left),
    },
    [
      `${unprefixedName(chosen.agent.name)} has ${binding.address} at ${requested.jmapUrl} now.`,
      ...(left === null ? [] : [output.pastable(leftWords(left))]),
    ],
  );
}

/** Returns the mailbox that the agent had before, which still takes mail; null when it is the same one, or on a mail server. */
function leftBehind(before: MailBinding | null, now: MailBinding): EarlierBinding {
  if (before?.transport !== 'filesystem') return null;
  if (now.transport !== 'filesystem') return before;
  const isSame = before.address === now.address && before.filesystem_root === now.filesystem_root;
  return isSame ? null : before;
}

type EarlierBinding = Extract<MailBinding, { transport: 'filesystem' }> | null;

const leftWords = ({ address, filesystem_root: root }: NonNullable<EarlierBinding>): string =>
  `${address} still receives mail, but wakes no agent; end its registration: houmao-mgr mailbox unregister --mailbox-root ${root} --address ${address}`;

/** `agents mailbox unregister`. */
export async function unregisterMailbox(
  call: AgentCall,
  { mode }: { mode: DeregistrationMode },
): Promise<void> {
  const { chosen, host, output } = call;
  const { binding, row, leftUndone } = await unbindMailbox(chosen.agent.paths, mode, host);
  const manifest = readManifest(chosen.agent.paths.manifest);
  output.result(
    {
      ...agentPart(call, manifest),
      ...bindingPart(binding),
      activation_state: 'active',
      shared_unregistration: row && unregistrationAnswer(row, mode),
    },
    [`${unprefixedName(chosen.agent.name)} has no mailbox any more; ${whatStays(binding, mode)}.`],
  );
  refuseLeftUndone(leftUndone);
}

function whatStays(binding: MailBinding, mode: DeregistrationMode): string {
  if (binding.transport === 'stalwart') return `${binding.address} stays on its mail server as it is`;
  return mode === 'purge' ? 'its boxes are gone, the messages stay' : `its mail stays in ${binding.address}`;
}

type Binding = NonNullable<Manifest['launch_plan']['mailbox']>;

/** `mail resolve-live`: prints, for programs, where an agent's mailbox is and which gateway serves it now. */
export async function resolveLive({ chosen, host, output }: AgentCall): Promise<void> {
  const { paths } = chosen.agent;
  const manifest = readManifest(paths.manifest);
  const binding = requireBinding(manifest, chosen, host);
  const { transport, principal_id, address, bindings_version } = binding;
  const identity = { transport, principal_id, address, bindings_version };
  const gateway = await gatewayRecord(paths);
  const live = {
    schema_version: 1,
    source: 'manifest_binding',
    ...identity,
    mailbox: { ...identity, ...(await transportPart(binding, host)) },
    gateway,
    gateway_available: gateway !== null,
    managed_agent: {
      mode: 'local',
      agent_ref: manifest.agent_id,
      tracked_agent_id: basename(paths.root),
      agent_name: manifest.agent_name,
      agent_id: manifest.agent_id,
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
        root: place.root,
        mailbox_kind: binding.mailbox_kind ?? 'in_root',
        mailbox_path: place.mailboxPath,
        inbox_path: place.inboxPath,
        sqlite_path: place.sqlitePath,
        local_sqlite_path: place.localSqlitePath,
      },
    };
  } finally {
    root.close();
  }
}

/** Returns the gateway that serves this caller's mail; null when none does. */
async function gatewayRecord(paths: SessionPaths): Promise<object | null> {
  const sight = await probeGateway(paths);
  if (sight.state !== 'serving' || !servesMail(sight.instance)) return null;
  const { host, port, protocol_version } = sight.instance;
  return {
    source: 'current_instance_record',
    host,
    port,
    base_url: urlOf(sight.instance),
    protocol_version,
    state_path: paths.state,
  };
}
