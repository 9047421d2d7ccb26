import { basename, resolve } from 'node:path';
import { bindMailbox, unbindMailbox } from '../../../launch/late-mailbox.js';
import type { MailBinding } from '../../../launch/open-mailbox.js';
import type { DeregistrationMode } from '../../../mail/filesystem/registration/deregister.js';
import type { RegistrationMode } from '../../../mail/filesystem/registration/registration-request.js';
import { type DeclaredMailbox, readDeclaredMailbox } from '../../../session/declared-mailbox.js';
import { readManifest } from '../../../session/manifest.js';
import type { Manifest } from '../../../session/manifest-schema.js';
import { chosenRoot, type RootFlags } from '../../flags/mailbox-root.js';
import { CommandFailure } from '../../words/command-failure.js';
import { registeredLines } from '../../words/mailbox-words.js';
import { registrationAnswer, unregistrationAnswer } from '../mailbox/registrations.js';
import type { MailCall } from './mail.js';

export interface AgentRegisterFlags extends RootFlags {
  address?: string;
  principalId?: string;
  mailAccountDir?: string;
  mode: RegistrationMode;
  yes?: boolean;
}

type DeclaredFilesystem = Extract<DeclaredMailbox, { transport: 'filesystem' }>;

/** What each answer begins with: which agent it is. */
function agentPart({ chosen }: MailCall, manifest: Manifest): object {
  return {
    ...{ schema_version: 1, tracked_agent_id: basename(chosen.agent.paths.root) },
    ...{ agent_name: manifest.agent_name, agent_id: manifest.agent_id, backend: manifest.backend },
  };
}

function bindingPart(binding: MailBinding): object {
  const { transport, principal_id, address, bindings_version } = binding;
  const root = binding.transport === 'filesystem' ? { mailbox_root: binding.filesystem_root } : {};
  return { transport, principal_id, address, ...root, bindings_version };
}

/** `agents mailbox status`. */
export async function mailboxStatus(call: MailCall): Promise<void> {
  const manifest = readManifest(call.chosen.agent.paths.manifest);
  const binding = manifest.launch_plan.mailbox ?? null;
  const answer = {
    ...{ ...agentPart(call, manifest), registered: binding !== null },
    ...{ activation_state: binding === null ? null : 'active', runtime_mailbox_enabled: binding !== null },
    ...(binding && bindingPart(binding)),
  };
  const where = binding?.transport === 'filesystem' ? ` in ${binding.filesystem_root}` : '';
  call.output.result(answer, [
    binding === null
      ? `${call.chosen.agent.name} has no mailbox.`
      : `${call.chosen.agent.name} has ${binding.address}${where}.`,
  ]);
}

/** What its brain manifest says of the mailbox it is to have. @throws {CommandFailure} for one on a mail server. */
function declaredIn({ brain_manifest_path: path }: Manifest): Partial<DeclaredFilesystem> {
  const declared = readDeclaredMailbox(path);
  if (declared?.transport === 'stalwart')
    throw new CommandFailure(`${path} declares a mailbox on a mail server, and those cannot be served yet.`);
  return declared ?? {};
}

/**
 * `agents mailbox register`: what its flags leave out is taken from the agent's brain manifest. Another mailbox is replaced with
 * consent alone.
 */
export async function registerMailbox(call: MailCall, flags: AgentRegisterFlags): Promise<void> {
  const { chosen, host, output } = call;
  if (flags.mode === 'force' && !flags.yes)
    throw new CommandFailure(
      '--mode force replaces whatever has that address, with its boxes; say --yes too.',
    );
  const before = readManifest(chosen.agent.paths.manifest);
  const declared = declaredIn(before);
  const root = flags.mailboxRoot === undefined ? declared.filesystem_root : undefined;
  const wish = {
    root: root ?? chosenRoot(flags, host.environment).path,
    address: flags.address ?? declared.address ?? null,
    principalId: flags.principalId ?? declared.principal_id ?? null,
    accountFolder: flags.mailAccountDir === undefined ? undefined : resolve(flags.mailAccountDir),
  };
  const { binding, registered } = await bindMailbox(chosen.agent.paths, wish, flags.mode, host);
  const manifest = readManifest(chosen.agent.paths.manifest);
  const left = leftBehind(before.launch_plan.mailbox ?? null, binding);
  output.result(
    {
      ...{ ...agentPart(call, manifest), ...bindingPart(binding), activation_state: 'active' },
      shared_registration: registrationAnswer(registered),
      still_registered: left && bindingPart(left),
    },
    [
      `${chosen.agent.name} has ${binding.address} now.`,
      ...registeredLines(registered),
      ...(left === null ? [] : [output.pastable(leftWords(left))]),
    ],
  );
}

/** The mailbox that the agent had before, which still takes mail; null where it is the same one. */
function leftBehind(before: MailBinding | null, now: MailBinding): EarlierBinding {
  if (before?.transport !== 'filesystem' || now.transport !== 'filesystem') return null;
  const isSame = before.address === now.address && before.filesystem_root === now.filesystem_root;
  return isSame ? null : before;
}

type EarlierBinding = Extract<MailBinding, { transport: 'filesystem' }> | null;

const leftWords = ({ address, filesystem_root: root }: NonNullable<EarlierBinding>): string =>
  `${address} still takes mail, which nobody is woken for; end that with: houmao-mgr mailbox unregister --mailbox-root ${root} --address ${address}`;

/** `agents mailbox unregister`. */
export async function unregisterMailbox(
  call: MailCall,
  { mode }: { mode: DeregistrationMode },
): Promise<void> {
  const { chosen, host, output } = call;
  const { binding, row } = await unbindMailbox(chosen.agent.paths, mode, host);
  const manifest = readManifest(chosen.agent.paths.manifest);
  output.result(
    {
      ...{ ...agentPart(call, manifest), ...bindingPart(binding), activation_state: 'active' },
      shared_unregistration: row && unregistrationAnswer(row, mode),
    },
    [
      `${chosen.agent.name} has no mailbox any more; ${
        mode === 'purge' ? 'its boxes are gone, the messages stay' : `what it got stays in ${binding.address}`
      }.`,
    ],
  );
}
