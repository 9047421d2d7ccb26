import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { findProgram } from '../../foundation/find-program.js';
import type { LaunchSettings } from '../../session/launch-environment.js';
import type { Manifest } from '../../session/manifest-schema.js';

/** What a headless agent lacks to run a turn, in one line without a path; null when it lacks nothing. */
export function missingPart(manifest: Manifest, settings: LaunchSettings): string | null {
  const directory = manifest.working_directory;
  if (!existsSync(directory) || !statSync(directory).isDirectory())
    return 'The working directory of the agent does not exist.';
  const program = manifest.launch_plan.executable;
  return findProgram(program, settings.environment.PATH ?? '', directory)
    ? null
    : `The program ${basename(program)} was not found.`;
}
