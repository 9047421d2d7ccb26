import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentEnvironment } from '../agent/local/agent-place.js';
import { newUuid } from '../foundation/ids.js';
import { makeFolder } from '../foundation/make-folder.js';
import { recordedPane } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import type { SessionPaths } from '../session/session-paths.js';
import { Pane } from '../terminal/pane.js';
import { matchingProcesses, processTree } from '../terminal/process-tree.js';
import { startScript } from '../terminal/start-script.js';
import type {
  ModelSelection,
  SessionSelection,
  TerminalCommand,
  ToolName,
} from '../tools/adapter/tool-adapter.js';
import { toolProcessNames } from '../tools/terminal-registry.js';
import { toolAdapter } from '../tools/tool-registry.js';
import type { AgentHost } from './agent-host.js';
import { LaunchFault } from './launch-fault.js';

const appearMilliseconds = 10_000;
const pollMilliseconds = 40;
/** The number of characters of the pane that a fault shows. */
const shownCharacters = 1200;

/** The settings with which the tool of an agent is started in its terminal. */
export interface TerminalStart {
  tool: ToolName;
  executable: string;
  workingDirectory: string;
  environment: Readonly<Record<string, string>>;
  role: string | null;
  model: ModelSelection;
  /** The conversation with which it begins. */
  session: SessionSelection;
  /** Whether it reports to hooks of ours. */
  hooks: boolean;
}

/**
 * Starts the tool in the agent's pane and waits until its process exists. The tool may ask questions before it takes prompts.
 * @throws {LaunchFault} with the end of the pane's text, if the tool did not start.
 * @throws {TmuxFault}
 */
export async function startTerminal(
  request: TerminalStart,
  manifest: Manifest,
  paths: SessionPaths,
  host: Pick<AgentHost, 'tmux' | 'clock'>,
): Promise<void> {
  const session = manifest.tmux_session_name ?? '';
  const script = join(paths.terminal, 'start.sh');
  makeFolder(paths.terminal, 0o700);
  // The file is made here, so that its permissions do not depend on the umask of another process.
  if (request.hooks) writeFileSync(paths.hookRows, '', { mode: 0o600 });
  const command = commandOf(request, manifest, paths);
  for (const [path, content] of Object.entries(command.files)) writeFileSync(path, content, { mode: 0o600 });
  writeFileSync(
    script,
    scriptOf(request, command, agentEnvironment(manifest, paths, request.environment, command.env)),
    { mode: 0o600 },
  );
  const { paneId = '' } = recordedPane(manifest) ?? {};
  await host.tmux.respawnPane(
    paneId,
    request.workingDirectory,
    `exec /bin/sh '${script.replaceAll("'", "'\\''")}'`,
  );
  const control = await host.tmux.control(session, { wrote: () => undefined, closed: () => undefined });
  try {
    await untilUp(request, new Pane(control, paneId), host);
  } finally {
    await control.close();
  }
}

function commandOf(request: TerminalStart, manifest: Manifest, paths: SessionPaths): TerminalCommand {
  return toolAdapter(request.tool).terminal({
    launchArgs: manifest.launch_plan.args,
    role: request.role,
    session: request.session,
    model: request.model,
    newConversation: newUuid(),
    hooks: request.hooks ? { file: paths.hookRows, folder: paths.terminal } : null,
  });
}

const scriptOf = (
  { executable, workingDirectory }: TerminalStart,
  { args }: TerminalCommand,
  environment: Record<string, string>,
): string => startScript({ executable, args, workingDirectory, environment });

async function untilUp(
  request: TerminalStart,
  pane: Pane,
  { clock }: Pick<AgentHost, 'clock'>,
): Promise<void> {
  const names = toolProcessNames(request.tool, request.executable);
  const deadline = clock.monotonic() + appearMilliseconds;
  for (;;) {
    const { pid } = await pane.status();
    if (matchingProcesses(processTree(pid), names).length > 0) return;
    if (clock.monotonic() > deadline) break;
    await clock.sleep(pollMilliseconds);
  }
  const shown = (await pane.plainText()).trimEnd().slice(-shownCharacters);
  throw new LaunchFault(
    `${request.executable} did not come up in its terminal within ${appearMilliseconds / 1000} s. It shows:\n${shown}`,
  );
}
