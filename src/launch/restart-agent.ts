import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { findAgentTmux, recordedTmux } from '../agent/local/agent-place.js';
import { LaunchSettingsReader } from '../session/launch-settings.js';
import {
  patchNewConversation,
  patchTmuxPlace,
  readLaunchedManifest,
  readManifest,
} from '../session/manifest.js';
import {
  hasHooks,
  lastConversationOf,
  recordedPane,
  tmuxSocketOf,
  turnHostOf,
} from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { type SessionPaths, sessionVariables } from '../session/session-paths.js';
import { agentPaneIn, type ListedPane } from '../terminal/pane-listing.js';
import { matchingProcesses, processTree } from '../terminal/process-tree.js';
import { leftShell } from '../terminal/start-script.js';
import type { Tmux } from '../terminal/tmux.js';
import type { SessionSelection } from '../tools/adapter/tool-adapter.js';
import { toolProcessNames } from '../tools/terminal-registry.js';
import { knownTool } from '../tools/tool-registry.js';
import type { AgentHost } from './agent-host.js';
import { LaunchFault } from './launch-fault.js';
import { startTerminal } from './start-terminal.js';

/** The parts of an agent that were there, and those that were made again. */
export interface BroughtBack {
  /** Null for an agent whose turns run without tmux. */
  tmux: 'there' | 'made' | null;
  /** Null for a headless agent, whose tool is started by each turn. */
  tool: 'there' | 'started' | null;
  /** The conversation that the tool continues; null if it was not started, or began a new one. */
  conversation: string | null;
}

/** Reported before each step. */
export type RestartStep =
  | { step: 'tmux'; session: string }
  | { step: 'tool'; conversation: string | null }
  /** The tool did not continue its conversation, and is started in a new one. */
  | { step: 'new_conversation'; conversation: string };

/** A tool that cannot continue a conversation ends within this time. */
const refuseMilliseconds = 4000;
const pollMilliseconds = 100;

/**
 * Makes the tmux session of an agent again, and starts its tool in it, if they are gone. Existing parts stay as they are.
 * @throws {LaunchFault} for an agent that was not launched here, or if the tool does not start.
 * @throws {TmuxFault}
 * @throws {UnusableFile}
 */
export async function restartAgent(
  paths: SessionPaths,
  host: AgentHost,
  onStep: (step: RestartStep) => void,
): Promise<BroughtBack> {
  const manifest = readLaunchedManifest(paths.manifest);
  if (turnHostOf(manifest) !== 'tmux') return { tmux: null, tool: null, conversation: null };
  const found = await findAgentTmux(manifest, host.tmux);
  const session = manifest.tmux_session_name ?? '';
  if (found === null) onStep({ step: 'tmux', session });
  const tmux = found ?? newPlace(manifest, host.tmux);
  if (found === null)
    patchTmuxPlace(
      paths.manifest,
      await tmux.newSession(session, manifest.working_directory, sessionVariables(manifest, paths)),
    );
  const made = found === null ? 'made' : 'there';
  if (manifest.backend !== 'local_interactive') return { tmux: made, tool: null, conversation: null };
  const pane = await ownPane(tmux, readManifest(paths.manifest));
  if (pane !== null && hasTool(pane, manifest)) return { tmux: made, tool: 'there', conversation: null };
  if (pane === null)
    patchTmuxPlace(
      paths.manifest,
      await tmux.newWindow(session, 'agent', manifest.working_directory, {}, ['/bin/sh', '-c', leftShell]),
    );
  return { tmux: made, tool: 'started', conversation: await startTool(paths, { ...host, tmux }, onStep) };
}

/** Returns the server that had the session; the usual server if the folder of its socket is gone. */
function newPlace(manifest: Manifest, usual: Tmux): Tmux {
  const socket = tmuxSocketOf(manifest);
  return socket !== null && existsSync(dirname(socket)) ? recordedTmux(manifest, usual) : usual;
}

async function ownPane(tmux: Tmux, manifest: Manifest): Promise<ListedPane | null> {
  const panes = (await tmux.panes()).filter(({ session }) => session === manifest.tmux_session_name);
  return agentPaneIn(panes, recordedPane(manifest), (pane) => hasTool(pane, manifest));
}

function hasTool({ status }: ListedPane, { tool, launch_plan }: Manifest): boolean {
  const names = toolProcessNames(tool, launch_plan.executable);
  return !status.dead && matchingProcesses(processTree(status.pid), names).length > 0;
}

/** @returns the conversation that the tool continues. */
async function startTool(
  paths: SessionPaths,
  host: AgentHost,
  onStep: (step: RestartStep) => void,
): Promise<string | null> {
  const manifest = readManifest(paths.manifest);
  const conversation = lastConversationOf(manifest);
  const start = (session: SessionSelection): Promise<void> =>
    startTerminal(terminalStart(manifest, session, host), manifest, paths, host);
  onStep({ step: 'tool', conversation });
  if (conversation !== null) {
    const came = await start({ mode: 'exact', id: conversation }).then(() => true, endedAtOnce);
    if (came && (await stays(manifest, host))) return conversation;
    onStep({ step: 'new_conversation', conversation });
  }
  patchNewConversation(paths.manifest);
  await start({ mode: 'new' });
  return null;
}

function terminalStart(manifest: Manifest, session: SessionSelection, { environment }: AgentHost) {
  const { environment: variables, model, role } = new LaunchSettingsReader(environment).read(manifest);
  const tool = knownTool(manifest.tool);
  if (tool === null) throw new LaunchFault(`${manifest.tool} is not a tool that this release can start.`);
  const { executable } = manifest.launch_plan;
  return {
    tool,
    executable,
    model,
    role,
    session,
    environment: variables,
    workingDirectory: manifest.working_directory,
    hooks: hasHooks(manifest),
  };
}

/** Returns false for a tool that ended before it was seen. @throws any other fault. */
function endedAtOnce(error: unknown): false {
  if (error instanceof LaunchFault) return false;
  throw error;
}

async function stays(manifest: Manifest, { tmux, clock }: AgentHost): Promise<boolean> {
  const until = clock.monotonic() + refuseMilliseconds;
  while (clock.monotonic() < until) {
    const pane = await ownPane(tmux, manifest);
    if (pane === null || !hasTool(pane, manifest)) return false;
    await clock.sleep(pollMilliseconds);
  }
  return true;
}
