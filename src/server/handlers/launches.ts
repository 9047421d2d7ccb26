import type { LaunchesHandlers } from '../../../generated/managed-agent/server/launches-handlers.js';
import type { operations } from '../../../generated/managed-agent/types.js';
import { keyOfAnotherBody } from '../../contract/refusals.js';
import {
  BrainLaunchRefused,
  type BrainTrouble,
  type FolderRule,
  type RequestedBrainLaunch,
} from '../../launch/brain/brain-launch.js';
import { LaunchFault, LaunchRefused, type LaunchTrouble } from '../../launch/launch-fault.js';
import { usualDisplay } from '../../session/manifest-facts.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import type { AuthorityRecord, Registration } from '../directory/agent-records.js';
import { KeyTaken } from '../lifecycle/agent-launches.js';
import { RegistrationRefused } from '../lifecycle/registrations.js';
import type { ManagedAgentServer } from '../server.js';

export const launchHandlers = (
  server: Pick<ManagedAgentServer, 'lifecycle' | 'parts'>,
): LaunchesHandlers => ({
  launchHeadlessAgent: async ({ body, query, headers }, reply) => {
    // Left out where it is not asked for: the bodies of keys are compared, also with those of earlier releases.
    const requested = { ...toRequestedLaunch(body), ...(query.skills && { skills: true as const }) };
    const key = headers['Idempotency-Key'];
    try {
      const { authority, replayed } = await server.lifecycle.launches.launch(
        requested,
        key === undefined ? null : { key, body: JSON.stringify(requested) },
      );
      const launched = {
        success: true,
        tracked_agent_id: authority.tracked_agent_id,
        identity: identityOf(authority),
        manifest_path: authority.manifest_path,
        session_root: authority.session_root,
        detail: 'The agent is launched.',
      } as const;
      return reply(200, launched, replayed ? { 'Idempotency-Replayed': 'true' } : {});
    } catch (error) {
      if (error instanceof KeyTaken) return reply(422, { detail: keyOfAnotherBody });
      const refusal = launchRefusal(error, body);
      if (refusal === null) throw error;
      if (refusal.status === 503) server.parts.report(`nothing was launched: ${(error as Error).message}`);
      return reply(refusal.status, { detail: refusal.detail });
    }
  },

  registerLaunch: async ({ query }, reply) => {
    try {
      const terminalId = await server.lifecycle.registrations.register(toRegistration(query));
      return reply(200, { success: true, session_name: query.session_name, terminal_id: terminalId });
    } catch (error) {
      if (error instanceof TmuxFault)
        return reply(503, {
          detail: 'Whether there is such a tmux session is not known: tmux cannot be run now.',
        });
      if (!(error instanceof RegistrationRefused)) throw error;
      const { trouble } = error;
      switch (trouble.code) {
        case 'session_name':
          return reply(400, { detail: 'session_name must be a plain file name.' });
        case 'no_session':
          return reply(404, { detail: `No tmux session \`${trouble.tmuxSession}\` runs on this host.` });
        case 'no_terminal':
          return reply(404, { detail: `The session has no terminal \`${trouble.terminalId}\`.` });
        case 'field':
          return reply(422, { detail: `${trouble.field} ${trouble.rule}.` });
      }
    }
  },
});

const identityOf = (authority: AuthorityRecord) => ({
  tracked_agent_id: authority.tracked_agent_id,
  transport: 'headless' as const,
  tool: authority.tool,
  session_name: null,
  terminal_id: null,
  runtime_session_id: authority.tracked_agent_id,
  tmux_session_name: authority.tmux_session_name,
  tmux_window_name: 'agent',
  manifest_path: authority.manifest_path,
  session_root: authority.session_root,
  agent_name: authority.agent_name,
  agent_id: authority.agent_id,
});

function toRegistration(
  query: Partial<Record<keyof Registration, string | undefined>> & { session_name: string; tool: string },
): Registration {
  return {
    session_name: query.session_name,
    tool: query.tool,
    terminal_id: query.terminal_id ?? null,
    observed_tool_version: query.observed_tool_version ?? null,
    manifest_path: query.manifest_path ?? null,
    session_root: query.session_root ?? null,
    agent_name: query.agent_name ?? null,
    agent_id: query.agent_id ?? null,
    tmux_session_name: query.tmux_session_name ?? null,
    tmux_window_name: query.tmux_window_name ?? null,
  };
}

type Body = operations['launchHeadlessAgent']['requestBody']['content']['application/json'];
type Mailbox = NonNullable<Body['mailbox']>;

/** Converts a body to launch settings. Texts are taken without the blanks around them. */
const toRequestedLaunch = (body: Body): RequestedBrainLaunch => ({
  tool: body.tool.trim(),
  workingDirectory: body.working_directory.trim(),
  agentDefinition: body.agent_def_dir.trim(),
  brainPath: body.brain_manifest_path.trim(),
  roleName: body.role_name.trim(),
  agentName: body.agent_name?.trim() ?? null,
  agentId: body.agent_id?.trim() ?? null,
  display: {
    style: body.headless_display_style ?? usualDisplay.style,
    detail: body.headless_display_detail ?? usualDisplay.detail,
  },
  mailbox: body.mailbox ? trimmed(body.mailbox) : null,
});

const trimmed = (mailbox: Mailbox): NonNullable<RequestedBrainLaunch['mailbox']> =>
  Object.fromEntries(
    Object.entries(mailbox).map(([field, value]) => [
      field,
      typeof value === 'string' ? value.trim() : value,
    ]),
  );

/** The fields of a launch that its refusals quote, as the caller wrote them. */
interface LaunchPaths {
  readonly working_directory: string;
  readonly agent_def_dir: string;
  readonly brain_manifest_path: string;
  readonly role_name: string;
}

/** Returns why nothing was launched, and whose fault it is: 422 the caller's, 503 this host's; null for a fault in the code. */
function launchRefusal(error: unknown, body: LaunchPaths): { status: 422 | 503; detail: string } | null {
  if (error instanceof BrainLaunchRefused) return { status: 422, detail: brainWords(error.trouble, body) };
  if (error instanceof LaunchRefused) {
    const { trouble } = error;
    if (trouble.code === 'name_taken')
      return { status: 503, detail: `An agent named ${trouble.name} is already running.` };
    return { status: 422, detail: troubleWords(trouble) };
  }
  if (error instanceof TmuxFault)
    return { status: 503, detail: 'No tmux session can be made on this host now; nothing was launched.' };
  if (error instanceof LaunchFault) return { status: 503, detail: `Nothing was launched: ${error.message}` };
  return null;
}

const folderWords = (field: string, given: string, rule: FolderRule): string =>
  rule === 'absolute' ? `${field} must be an absolute path.` : `${field} ${given} is not an existing folder.`;

function brainWords(trouble: BrainTrouble, body: LaunchPaths): string {
  switch (trouble.code) {
    case 'working_directory':
      return folderWords('working_directory', body.working_directory, trouble.rule);
    case 'agent_definition':
      return folderWords('agent_def_dir', body.agent_def_dir, trouble.rule);
    case 'brain_file':
      return fileWords(body.brain_manifest_path, trouble.rule);
    case 'brain_manifest':
      return `brain_manifest_path does not name a usable brain manifest: ${trouble.reason}.`;
    case 'role_name':
      return 'role_name must be a plain file name of letters, digits, `.`, `_` and `-`.';
    case 'role_missing':
      return `role_name ${body.role_name}: agent_def_dir has no roles/${body.role_name}/system-prompt.md that can be read.`;
    case 'tool_differs':
      return `tool is ${trouble.asked}, but the brain manifest is for ${trouble.declared}.`;
    case 'tool_unknown':
      return `tool ${trouble.tool} cannot run headless here; use one of ${trouble.known.join(', ')}.`;
    case 'agent_name':
      return `agent_name cannot name an agent: ${trouble.rule}.`;
    case 'agent_id':
      return 'agent_id must be a plain file name of letters, digits, `.`, `_` and `-`, at most 128.';
    case 'environment_file':
      return `The environment file that the brain manifest names in credentials.env_contract.source_file ${trouble.reason}.`;
    case 'mailbox_field':
      return `mailbox.${trouble.field} ${trouble.rule}.`;
    case 'launch':
      return troubleWords(trouble.trouble);
  }
}

function fileWords(given: string, rule: 'absolute' | 'file' | 'size'): string {
  if (rule === 'absolute') return 'brain_manifest_path must be an absolute path.';
  return rule === 'file'
    ? `brain_manifest_path ${given} is not an existing file.`
    : 'brain_manifest_path names a file of more than 1 MiB.';
}

/** Describes the trouble of a launch. The settings of a brain manifest stand for the flags of other launches. */
function troubleWords(trouble: LaunchTrouble): string {
  switch (trouble.code) {
    case 'program_missing':
      return `The brain manifest's runtime.launch_executable ${trouble.program} was not found on this host.`;
    case 'reserved_argument':
      return `The brain manifest's launch arguments carry ${trouble.argument}, which each turn sets itself.`;
    case 'reasoning_refused':
      return `The brain manifest's reasoning level ${trouble.level}: ${trouble.reason}`;
    case 'mailbox_refused':
      return `mailbox: ${trouble.reason}`;
    default:
      return new LaunchRefused(trouble).message;
  }
}
