import { tmuxSocketOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { Tmux } from '../../terminal/tmux.js';
import { serverOf } from '../../terminal/tmux-servers.js';

/**
 * The tmux server that has the session of an agent now.
 * @param usual the one that this program means.
 * @returns null when none has it. @throws {TmuxFault} when that cannot be told.
 */
export function findAgentTmux(manifest: Manifest, usual: Tmux): Promise<Tmux | null> {
  const socketPath = tmuxSocketOf(manifest);
  return serverOf(usual, manifest.tmux_session_name ?? '', socketPath === null ? null : { socketPath });
}

/** The tmux server that its session was made on; the usual one where that is not recorded. */
export function recordedTmux(manifest: Manifest, usual: Tmux): Tmux {
  const socketPath = tmuxSocketOf(manifest);
  return socketPath === null ? usual : usual.at(socketPath);
}

/** The tmux server that has its session, or had it. @throws {TmuxFault} when that cannot be told. */
export const agentTmux = async (manifest: Manifest, usual: Tmux): Promise<Tmux> =>
  (await findAgentTmux(manifest, usual)) ?? recordedTmux(manifest, usual);
