import { join, resolve } from 'node:path';
import { generatorVersion } from '../../../scripts/tools/openapi-generator.mjs';
import { pythonEnvironment } from '../../../scripts/tools/python-environment.mjs';
import { runCommand } from '../../../scripts/tools/run-command.mjs';
import { allChecks, byOpenApiGenerator, plainName } from '../language.mjs';

const packageOf = (surface) => `houmao_${plainName(surface)}`;

/** @type {import('../language.mjs').Language} */
export const python = {
  name: 'python',
  tool: () => `openapi-generator python ${generatorVersion()}`,
  reads: '/openapi-3.0.json',
  shows: 'all',
  checks: allChecks,
  programs: ['python3'],
  generate: byOpenApiGenerator('python', (surface) => ({ packageName: packageOf(surface) })),
  compile(client, surface, say) {
    const programs = pythonEnvironment(`python-client-${surface}`, join(client, 'requirements.txt'), say);
    runCommand(join(programs, 'python'), ['-m', 'compileall', '-q', join(client, packageOf(surface))]);
    return {
      command: join(programs, 'python'),
      args: [resolve(`test/clients/python/${surface}.py`)],
      environment: { PYTHONPATH: client },
    };
  },
};
