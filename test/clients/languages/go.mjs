import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { goToolchain } from '../../../scripts/tools/go-toolchain.mjs';
import { generatorVersion } from '../../../scripts/tools/openapi-generator.mjs';
import { runCommand } from '../../../scripts/tools/run-command.mjs';
import { allChecks, byOpenApiGenerator, plainName } from '../language.mjs';

/** @type {import('../language.mjs').Language} */
export const go = {
  name: 'go',
  tool: () => `openapi-generator go ${generatorVersion()}`,
  reads: '/openapi-3.0.json',
  shows: 'all',
  checks: allChecks,
  programs: ['go'],
  generate: byOpenApiGenerator('go', (surface) => ({
    packageName: plainName(surface),
    withGoMod: 'true',
    // Go knows constants by their bare names, and several of our enums have a `none`.
    enumClassPrefix: 'true',
    // Else it tells the kinds of events apart by their fields alone, and several have the same.
    useOneOfDiscriminatorLookup: 'true',
  })),
  compile(client, surface, say) {
    const { command, environment } = goToolchain(say);
    cpSync(`test/clients/go/${surface}`, join(client, 'call'), { recursive: true });
    // The modules that the client needs, their checksums included.
    runCommand(command, ['mod', 'tidy'], { cwd: client, env: environment });
    runCommand(command, ['build', '-o', 'caller', './call'], { cwd: client, env: environment });
    return { command: join(client, 'caller'), args: [], environment: {} };
  },
};
