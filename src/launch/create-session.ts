import { rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { newSessionId } from '../foundation/ids.js';
import { makeFolder } from '../foundation/make-folder.js';
import { systemFaultOf } from '../foundation/system-fault.js';
import { type DeclaredMailbox, toEnvironmentFile } from '../session/launch-settings.js';
import { patchTmuxPlace, readManifest, writeManifest } from '../session/manifest.js';
import type { MailBinding, Manifest } from '../session/manifest-schema.js';
import { writeOfflineState } from '../session/offline-state.js';
import { AlreadyRegistered, leaseMilliseconds, publishRecord, withdrawRecord } from '../session/registry.js';
import { type SessionPaths, sessionPaths, sessionVariables } from '../session/session-paths.js';
import type { SessionSelection } from '../tools/adapter/tool-adapter.js';
import { askedVersion } from '../tools/asked-version.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { refuseTaken } from './agent-directory.js';
import type { AgentHost } from './agent-host.js';
import { agentIdOf } from './agent-name.js';
import { houmaoSkill, installSkills, mailSkills } from './install-skills.js';
import { LaunchFault, LaunchRefused } from './launch-fault.js';
import type { LaunchRequest } from './launch-request.js';
import { backendOf, newManifest } from './new-manifest.js';
import { closeMailbox, mailboxRecord, openMailbox } from './open-mailbox.js';
import { openServerMailbox } from './server-mailbox.js';
import { startTerminal, type TerminalStart } from './start-terminal.js';

/**
 * Makes session root, home of the tool, mailbox, role, environment file, brain manifest, manifest, tmux session and registry
 * record, in that order. An agent in a terminal is started before it is registered; any other is started by its turns. If a step
 * fails, the results of the earlier steps are removed again.
 * @param complete the caller's own last step: if it fails, everything is removed.
 * @throws {LaunchRefused} if the id is taken, also by a launch that runs at the same time.
 * @throws {LaunchFault} if the machine refuses something, such as space on its disk.
 * @throws {TmuxFault}
 */
export async function createSession(
  request: LaunchRequest,
  host: AgentHost,
  complete: (manifest: Manifest, paths: SessionPaths) => void | Promise<void> = () => undefined,
): Promise<SessionPaths> {
  refuseTaken(request.managed?.agentId ?? agentIdOf(request.name), host);
  if (request.terminal) await host.tmux.requireTerminals();
  const backend = backendOf(request);
  const now = host.clock.now();
  // The tool answers while the mailbox is opened.
  const asked = request.terminal ? askedVersion(request.executable, request.environment) : null;
  const sessionId = request.managed?.sessionId ?? newSessionId(backend, now);
  const paths = sessionPaths(sessionRoot(host, backend, sessionId));
  const made = new TakeBack();
  try {
    makeFolder(paths.root, 0o700);
    // No other program knows the folder yet, and everything in it was written here.
    made.add(paths.root, () => rmSync(paths.root, { recursive: true, force: true }));
    makeHome(request.homePath, made);
    const mailbox = await mailboxOf(request, paths, host, made);
    installSkills(request.tool, request.homePath, [
      ...(mailbox === null ? [] : mailSkills),
      ...(request.skills ? [houmaoSkill()] : []),
    ]);
    let manifest = writeSession(request, paths, { sessionId, now, version: await asked, mailbox });
    const session = manifest.tmux_session_name ?? '';
    if (request.tmux) {
      const variables = sessionVariables(manifest, paths);
      const place = await host.tmux.newSession(session, manifest.working_directory, variables);
      made.add(`the tmux session ${session}`, () => host.tmux.killPane(place.paneId));
      patchTmuxPlace(paths.manifest, place);
      manifest = readManifest(paths.manifest);
    }
    if (request.terminal) await startTerminal(terminalStart(request), manifest, paths, host);
    publishAgent(manifest, paths, host, now);
    made.add(`the registry's record of ${request.name}`, () =>
      withdrawRecord(host.registryRoot, manifest.agent_id ?? '', manifest.registry_generation_id ?? ''),
    );
    await complete(manifest, paths);
    return paths;
  } catch (error) {
    throw withLeftOver(toLaunchFault(error, paths), await made.run());
  }
}

/** Returns the folder of all sessions, with a folder for each backend. */
export const sessionsFolder = ({ runtimeRoot }: Pick<AgentHost, 'runtimeRoot'>): string =>
  join(runtimeRoot, 'sessions');

/** Returns the folder of a session. */
export const sessionRoot = (
  host: Pick<AgentHost, 'runtimeRoot'>,
  backend: string,
  sessionId: string,
): string => join(sessionsFolder(host), backend, sessionId);

/** Adds to the error of a failed launch what could not be removed. */
const withLeftOver = (error: unknown, left: readonly string[]): unknown =>
  left.length === 0 || !(error instanceof Error)
    ? error
    : new LaunchFault(`${error.message} Not removed again: ${left.join('; ')}.`, { cause: error });

/** Opens the mailbox. One that the agent had before is used again, with its mail; another owner's is not touched. */
async function mailboxOf(
  { mailbox, name, tool, roleName }: LaunchRequest,
  { manifest: manifestPath }: SessionPaths,
  host: AgentHost,
  made: TakeBack,
): Promise<MailBinding | null> {
  if (mailbox === null) return null;
  const names = { tool, role: roleName, identity: name };
  if (!('root' in mailbox)) {
    const { binding, stays } = await openServerMailbox(mailbox, names, host);
    if (stays !== null) made.keep(stays);
    return binding;
  }
  const { clock } = host;
  const owner = { ...names, manifestPath, displayName: null };
  const { binding, registered } = await openMailbox(mailbox, owner, 'safe', clock);
  if (!registered.reusedExisting)
    made.add(`the mailbox ${binding.address}`, () => closeMailbox(binding, 'purge', clock));
  return binding;
}

const terminalStart = (request: LaunchRequest): TerminalStart => ({
  ...request,
  model: { name: request.model, reasoningLevel: request.reasoningLevel },
  session: selectionOf(request.startup),
});

function selectionOf(startup: LaunchRequest['startup']): SessionSelection {
  if (startup.kind === 'exact') return { mode: 'exact', id: startup.id };
  return { mode: startup.kind === 'last' ? 'tool_last_or_new' : 'new' };
}

function toLaunchFault(error: unknown, paths: SessionPaths): unknown {
  if (error instanceof AlreadyRegistered)
    return new LaunchRefused({
      code: 'name_taken',
      name: error.holder.agent_name,
      manifestPath: error.holder.runtime.manifest_path,
    });
  const obstacle = systemFaultOf(error, paths.root);
  return obstacle === null ? error : new LaunchFault(obstacle, { cause: error });
}

function writeSession(
  request: LaunchRequest,
  paths: SessionPaths,
  made: { sessionId: string; now: Date; version: string | null; mailbox: MailBinding | null },
): Manifest {
  const { agentDefinition, brainPath } = request.managed ?? writeDefinition(paths, request);
  const manifest = newManifest(request, { ...made, agentDefinition, brainPath });
  writeManifest(paths.manifest, manifest);
  writeOfflineState(paths, manifest, made.sessionId);
  return manifest;
}

/** Writes the brain manifest and the role folder of an agent that is launched without them. */
function writeDefinition(paths: SessionPaths, request: LaunchRequest) {
  const agentDefinition = join(paths.root, 'agent-definition');
  writeRole(agentDefinition, request);
  return { agentDefinition, brainPath: writeBrain(paths, request) };
}

function writeRole(agentDefinition: string, request: LaunchRequest): void {
  const folder = join(agentDefinition, 'roles', request.roleName);
  makeFolder(folder, 0o700);
  writeFileSync(join(folder, 'system-prompt.md'), request.role ?? '', { mode: 0o600 });
}

function writeBrain(paths: SessionPaths, request: LaunchRequest): string {
  const adapter = toolAdapter(request.tool);
  const environmentPath = join(paths.root, 'agent.env');
  writeFileSync(environmentPath, toEnvironmentFile(request.environment), { mode: 0o600 });
  const brainPath = join(paths.root, 'brain.yaml');
  const brain = {
    schema_version: 3,
    // Disables the header that the older implementation would build from files that it keeps about its agents.
    inputs: { tool: request.tool, managed_prompt_header: { enabled: false } },
    runtime: {
      launch_executable: request.executable,
      launch_home_selector: { env_var: adapter.homeEnvVar, value: request.homePath },
      launch_contract: {
        adapter_defaults: { args: request.toolArguments, tool_params: {} },
        requested_overrides: { preset: null, direct: null },
        tool_metadata: { tool_params: {} },
        model_selection: {
          resolved: {
            effective: {
              name: request.model,
              reasoning: request.reasoningLevel === null ? null : { level: request.reasoningLevel },
            },
          },
        },
      },
    },
    credentials: {
      env_contract: {
        source_file: environmentPath,
        allowlisted_env_vars: Object.keys(request.environment).sort(),
      },
    },
    launch_policy: { operator_prompt_mode: request.unattended ? 'unattended' : 'as_is' },
    ...(request.mailbox && { mailbox: declaredMailbox(request.mailbox) }),
  };
  writeFileSync(brainPath, stringify(brain), { mode: 0o600 });
  return brainPath;
}

function declaredMailbox(settings: NonNullable<LaunchRequest['mailbox']>): DeclaredMailbox {
  const { address, principalId } = settings;
  const identity = {
    ...(address !== null && { address }),
    ...(principalId !== null && { principal_id: principalId }),
  };
  return 'root' in settings
    ? { transport: 'filesystem', filesystem_root: settings.root, ...identity }
    : {
        transport: 'stalwart',
        jmap_url: settings.jmapUrl,
        management_url: settings.managementUrl,
        ...identity,
      };
}

/** Publishes the record of an agent. @throws {AlreadyRegistered} */
export function publishAgent(
  manifest: Manifest,
  paths: SessionPaths,
  { registryRoot }: Pick<AgentHost, 'registryRoot'>,
  now: Date,
): void {
  publishRecord(
    registryRoot,
    {
      schema_version: 2,
      agent_name: manifest.agent_name ?? '',
      agent_id: manifest.agent_id ?? '',
      generation_id: manifest.registry_generation_id ?? '',
      published_at: now.toISOString(),
      lease_expires_at: new Date(now.getTime() + leaseMilliseconds).toISOString(),
      identity: { backend: manifest.backend, tool: manifest.tool },
      runtime: {
        manifest_path: paths.manifest,
        session_root: paths.root,
        agent_def_dir: manifest.runtime.agent_def_dir ?? null,
      },
      terminal: { kind: 'tmux', session_name: manifest.tmux_session_name ?? '' },
      gateway: null,
      mailbox: mailboxRecord(manifest.launch_plan.mailbox ?? null),
    },
    now,
  );
}

/**
 * Makes the home of a tool if there is none. If the launch fails, an empty home is removed, with the folders that were made for
 * it.
 */
function makeHome(path: string, made: TakeBack): void {
  const first = makeFolder(path, 0o700);
  if (first !== undefined) made.add(`the folder ${path}`, () => removeEmpty(path, first));
}

/** @param last the highest folder that may be removed */
function removeEmpty(path: string, last: string): void {
  for (let folder = path; folder.length >= last.length; folder = dirname(folder))
    try {
      rmdirSync(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A file that was written there meanwhile does not belong to the launch.
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return;
      throw error;
    }
}

/** The results of the steps so far, and how each of them is removed if a later step fails. */
export class TakeBack {
  readonly #made: { what: string; undo: () => unknown }[] = [];
  readonly #kept: string[] = [];

  /** @param what its name for people. */
  add(what: string, undo: () => unknown): void {
    this.#made.push({ what, undo });
  }

  /** Registers a result that is never removed. @param what its name for people. */
  keep(what: string): void {
    this.#kept.push(what);
  }

  /** Removes all results, the latest first; a failure does not stop the others. @returns the results that are still there. */
  async run(): Promise<string[]> {
    const left = this.#kept.splice(0);
    for (const { what, undo } of this.#made.splice(0).reverse())
      try {
        await undo();
      } catch {
        left.push(what);
      }
    return left;
  }
}
