import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import { rememberLast } from '../foundation/remember-last.js';
import { UnusableFile } from '../foundation/unusable-file.js';
import { jsonFile } from './file-schema.js';
import { lacksHeadlessSection } from './manifest-facts.js';
import { type Manifest, ManifestSchema } from './manifest-schema.js';

const remedy = 'restore it, or stop the agent and launch it again';
const file = jsonFile(ManifestSchema, remedy);

/** @throws {UnusableFile} when it is absent, not JSON, not version 4, or contradicts itself. */
export function readManifest(path: string): Manifest {
  return checkRules(path, file.require(path));
}

/**
 * Reads one manifest again and again, as every look at the agent does: it is parsed and checked only when it has changed.
 * What it returns is shared, so nobody changes it. Make one per session and keep it.
 * @returns what throws as {@link readManifest} does.
 */
export function manifestReader(path: string): () => Manifest {
  const parse = rememberLast((text: string) => checkRules(path, file.parse(path, text)));
  return () => parse(file.requireText(path));
}

/** What a gateway starts with. @throws {UnusableFile} also when a headless backend has no headless section. */
export function readLaunchedManifest(path: string): Manifest {
  const manifest = readManifest(path);
  if (lacksHeadlessSection(manifest))
    throw new UnusableFile(path, 'field /headless is missing for a headless backend', remedy);
  return manifest;
}

/** @throws {UnusableFile} when a value is no manifest. */
export const checkManifest = (path: string, value: unknown): Manifest =>
  checkRules(path, file.check(path, value));

/** What a gateway depends on beyond the shape of single fields. */
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
