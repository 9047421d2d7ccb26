import { statSync } from 'node:fs';
import { stageFile, writeFileAtomic } from '../foundation/atomic-file.js';
import { UnusableFile } from '../foundation/faults.js';
import { exclusively } from '../foundation/file-lock.js';
import { toJsonFile } from '../foundation/json-text.js';
import { rememberLast } from '../foundation/text.js';
import { jsonFile } from './file-schema.js';
import {
  conversationKey,
  lacksHeadlessSection,
  type TmuxPaneLocation,
  tmuxPaneKey,
  tmuxServerKey,
} from './manifest-facts.js';
import { type Manifest, ManifestSchema } from './manifest-schema.js';

const remedy = 'restore it, or stop the agent and launch it again';
const file = jsonFile(ManifestSchema, remedy);

/** Reads a manifest. @throws {UnusableFile} when it is absent, not JSON, not version 4, or contradicts itself. */
export function readManifest(path: string): Manifest {
  return checkRules(path, file.require(path));
}

/**
 * Makes a function that reads one manifest again and again, as every probe of the agent does: the file is parsed and checked
 * only when it has changed. The returned object is shared, so no caller may change it. Make one reader per session and keep it.
 * @returns a function that throws as {@link readManifest} does.
 */
export function manifestReader(path: string): () => Manifest {
  const parse = rememberLast((text: string) => checkRules(path, file.parse(path, text)));
  return () => parse(file.requireText(path));
}

/** Reads the manifest for the start of a gateway. @throws {UnusableFile} also when a headless backend has no headless section. */
export function readLaunchedManifest(path: string): Manifest {
  const manifest = readManifest(path);
  if (lacksHeadlessSection(manifest))
    throw new UnusableFile(path, 'field /headless is missing for a headless backend', remedy);
  return manifest;
}

/** Checks a value against the schema and the rules. @throws {UnusableFile} when it is no manifest. */
export const checkManifest = (path: string, value: unknown): Manifest =>
  checkRules(path, file.check(path, value));

/** Checks the rules that a gateway depends on beyond the shape of single fields. */
function checkRules(path: string, manifest: Manifest): Manifest {
  const fault = (reason: string) => new UnusableFile(path, reason, remedy);
  if (manifest.tool !== manifest.launch_plan.tool) throw fault('field /tool differs from /launch_plan/tool');
  if (manifest.backend !== 'codex_app_server') {
    for (const field of [
      'agent_name',
      'agent_id',
      'tmux_session_name',
      'tmux',
      'gateway_authority',
    ] as const) {
      if (!manifest[field]) throw fault(`field /${field} is missing for backend ${manifest.backend}`);
    }
  }
  return manifest;
}

export function writeManifest(path: string, manifest: Manifest): void {
  writeFileAtomic(path, toJsonFile(checkManifest(path, manifest)), { durable: true });
}

const tries = 100;

/**
 * Changes a manifest in place; fields that `change` does not touch stay as they are. Several processes may do so at once, and
 * no change is lost: each writes its own version beside the file and, under a lock, moves it into place only if the file is
 * still the one it has read. Otherwise it starts again. A change by a program that does not use the lock can still be lost in
 * the moment between that check and the rename.
 * @param change may be called several times, each time with the current content of the file.
 * @throws {UnusableFile} when the file cannot be parsed, or would break its rules afterwards: it is then left unchanged.
 */
export function patchManifest(path: string, change: (manifest: Manifest) => void): void {
  for (let left = tries; left > 0; left -= 1) {
    const read = versionOf(path);
    const manifest = readManifest(path);
    change(manifest);
    checkManifest(path, manifest);
    const staged = stageFile(path, toJsonFile(manifest), { durable: true });
    try {
      const done = exclusively(`${path}.lock`, () => {
        if (versionOf(path) !== read) return false;
        staged.commit();
        return true;
      });
      if (done) return;
    } finally {
      staged.discard();
    }
  }
  throw new Error(`${path} could not be changed: other programs changed it ${tries} times meanwhile`);
}

/** Returns a text that differs for each version of a file, whichever program wrote it. */
function versionOf(path: string): string {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  return status ? [status.ino, status.size, status.mtimeNs, status.ctimeNs].join(' ') : 'absent';
}

/**
 * Records the mailbox of the agent; null for none.
 * @throws {UnusableFile} when the file cannot be parsed: it is then left unchanged.
 */
export function patchMailbox(path: string, mailbox: Manifest['launch_plan']['mailbox'] | null): void {
  patchManifest(path, ({ launch_plan }) => {
    launch_plan.mailbox = mailbox ?? null;
  });
}

/** The changes that headless turns make. */
export interface PinChange {
  /** The conversation to pin; `id` null pins none. Null leaves the pin as it is. */
  conversation: { id: string | null } | null;
  completedTurns: number;
}

/** Returns the conversation and the number of turns after a change. */
export const pinsAfter = (
  headless: Manifest['headless'],
  { conversation, completedTurns }: PinChange,
): { sessionId: string | null; turnIndex: number } => ({
  sessionId: conversation ? conversation.id : (headless?.session_id ?? null),
  turnIndex: (headless?.turn_index ?? 0) + completedTurns,
});

/**
 * Records the version of the tool that now runs in the terminal.
 * @throws {UnusableFile} when the file cannot be parsed: it is then left unchanged.
 */
export function patchToolVersion(path: string, version: string): void {
  patchManifest(path, ({ launch_policy_provenance, launch_plan }) => {
    for (const provenance of [launch_policy_provenance, launch_plan.launch_policy_provenance])
      if (provenance) provenance.detected_tool_version = version;
  });
}

/**
 * Records the pane of the agent and its tmux server.
 * @throws {UnusableFile} when the file cannot be parsed: it is then left unchanged.
 */
export function patchTmuxPlace(path: string, place: TmuxPaneLocation): void {
  patchManifest(path, ({ backend_state }) => {
    Object.assign(backend_state, {
      [tmuxServerKey]: { socket_path: place.socketPath, pid: place.pid, started_at: place.startedAt },
      [tmuxPaneKey]: { session_id: place.sessionId, pane_id: place.paneId },
    });
  });
}

/**
 * Records the conversation of the tool in the terminal.
 * @throws {UnusableFile} when the file cannot be parsed: it is then left unchanged.
 */
export function patchConversation(path: string, id: string): void {
  patchManifest(path, ({ backend_state }) => {
    Object.assign(backend_state, { [conversationKey]: id });
  });
}

/**
 * Records that the tool in the terminal begins a new conversation, which has no role yet.
 * @throws {UnusableFile} when the file cannot be parsed: it is then left unchanged.
 */
export function patchNewConversation(path: string): void {
  patchManifest(path, (manifest) => {
    Object.assign(manifest.backend_state, { [conversationKey]: null });
    noteRole(manifest, false);
  });
}

/**
 * Records that the conversation in the terminal was opened with its role.
 * @throws {UnusableFile} when the file cannot be parsed: it is then left unchanged.
 */
export function patchRoleApplied(path: string): void {
  patchManifest(path, (manifest) => noteRole(manifest, true));
}

/** Sets, in every section that has this field, whether the conversation in the terminal has its role. */
function noteRole({ interactive, local_interactive, backend_state }: Manifest, applied: boolean): void {
  for (const section of [interactive, local_interactive, backend_state])
    if (section) Object.assign(section, { role_bootstrap_applied: applied });
}

/**
 * Records the conversation and the number of turns, and their mirrors for other programs.
 * @throws {UnusableFile} when the file cannot be parsed: it is then left unchanged.
 */
export function patchTurnPins(path: string, change: PinChange): void {
  patchManifest(path, ({ headless, backend_state, interactive }) => {
    const { sessionId, turnIndex } = pinsAfter(headless, change);
    for (const section of [headless, backend_state])
      if (section) Object.assign(section, { session_id: sessionId, turn_index: turnIndex });
    if (interactive) interactive.turn_index = turnIndex;
  });
}
