import { join, resolve } from 'node:path';
import { pythonEnvironment } from '../../../scripts/tools/python-environment.mjs';
import { runCommand } from '../../../scripts/tools/run-command.mjs';

/** @type {import('../language.mjs').Language} */
export const python = {
  name: 'python',
  programs: ['python3'],
  properties: { packageName: 'houmao_gateway' },
  compile(client, say) {
    const programs = pythonEnvironment('python-client', join(client, 'requirements.txt'), say);
    runCommand(join(programs, 'python'), ['-m', 'compileall', '-q', join(client, 'houmao_gateway')]);
    return {
      command: join(programs, 'python'),
      args: [resolve('test/clients/python/call.py')],
      environment: { PYTHONPATH: client },
    };
  },
};
