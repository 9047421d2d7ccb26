import type { Clock } from '../foundation/clock.js';
import { identify, isAlive, type ProcessIdentity } from '../foundation/processes.js';
import { recordedPane } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { agentPaneIn, isRecorded, type ListedPane } from '../terminal/pane-listing.js';
import { matchingProcesses, processTree } from '../terminal/process-tree.js';
import { toolProcessNames } from '../tools/terminal-registry.js';

const leaveMilliseconds = 2000;
const pollMilliseconds = 50;

/**
 * Returns the pane that a stop of the agent ends. @param manifest null if it cannot be read.
 * @param all the panes of its tmux server: a person may have moved the agent's pane into another session.
 */
export function paneToEnd(
  all: readonly ListedPane[],
  session: string,
  manifest: Manifest | null,
): ListedPane | null {
  const recorded = manifest && recordedPane(manifest);
  const moved = recorded?.server ? all.find((pane) => isRecorded(pane, recorded)) : undefined;
  const panes = all.filter((pane) => pane.session === session);
  return moved ?? agentPaneIn(panes, recorded, (pane) => hasTool(pane, manifest));
}

function hasTool({ status }: ListedPane, manifest: Manifest | null): boolean {
  if (manifest?.backend !== 'local_interactive') return false;
  const names = toolProcessNames(manifest.tool, manifest.launch_plan.executable);
  return matchingProcesses(processTree(status.pid), names).length > 0;
}

/** Returns the processes that run in the panes now. */
export const processesIn = (panes: readonly ListedPane[]): ProcessIdentity[] =>
  panes.flatMap(({ status }) => processTree(status.pid)).flatMap(({ pid }) => identify(pid) ?? []);

/** Ends processes that have outlived their terminal: some tools ignore its end. Resolves when all of them have ended. */
export async function endLeftInTerminal(processes: readonly ProcessIdentity[], clock: Clock): Promise<void> {
  for (const signal of [null, 'SIGTERM', 'SIGKILL'] as const) {
    const alive = processes.filter(isAlive);
    if (alive.length === 0) return;
    if (signal) for (const { pid } of alive) kill(pid, signal);
    const deadline = clock.monotonic() + leaveMilliseconds;
    while (processes.some(isAlive) && clock.monotonic() < deadline) await clock.sleep(pollMilliseconds);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
