import { missingPart } from '../../agent/local/missing-part.js';
import { type ChatDefaults, chatDefaultsOf } from '../../agent/target/resolve-session.js';
import { sessionTrouble } from '../../agent/target/session-trouble.js';
import type { LaunchSettingsReader } from '../../session/launch-environment.js';
import { lacksHeadlessSection, turnHostOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import type { RuntimeFacts } from './headless-summary.js';

export interface RuntimeLook {
  readonly runtime: RuntimeFacts;
  /** Which conversation comes next; null where the manifest cannot be read. */
  readonly chat: ChatDefaults | null;
}

/**
 * Looks whether a headless agent can run a turn. Never rejects for what another process does to its files.
 * @param read reads its manifest.
 * @param hasSession asks tmux for the session of an agent.
 */
export async function lookAtRuntime(
  read: () => Manifest,
  settings: LaunchSettingsReader,
  hasSession: (manifest: Manifest) => Promise<boolean>,
): Promise<RuntimeLook> {
  const unknown = { tmuxLive: false, tmuxSessionName: null, blocked: false };
  let manifest: Manifest;
  let obstacle: string | null;
  try {
    manifest = read();
    obstacle = lacksHeadlessSection(manifest)
      ? 'The session manifest has no headless section.'
      : missingPart(manifest, settings.read(manifest));
  } catch (error) {
    return { runtime: { ...unknown, tmuxLive: true, obstacle: sessionTrouble(error) }, chat: null };
  }
  const tmuxSessionName = manifest.tmux_session_name ?? null;
  const inTmux = turnHostOf(manifest) === 'tmux';
  const tmuxLive = inTmux ? await isLive(manifest, hasSession) : true;
  return { runtime: { obstacle, tmuxLive, tmuxSessionName, blocked: false }, chat: chatDefaultsOf(manifest) };
}

async function isLive(
  manifest: Manifest,
  hasSession: (manifest: Manifest) => Promise<boolean>,
): Promise<boolean | null> {
  try {
    return await hasSession(manifest);
  } catch (error) {
    if (error instanceof TmuxFault) return null;
    throw error;
  }
}
