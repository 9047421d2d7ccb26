import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment } from '../../../scripts/tools/python-environment.mjs';
import { runCommand } from '../../../scripts/tools/run-command.mjs';
import { basicChecks, documentOf } from '../language.mjs';

const folder = 'test/clients/python-others';
const requirements = join(folder, 'requirements.txt');

/** The programs of the generators. */
export const pythonGenerators = (say) => pythonEnvironment('python-generators', requirements, say);

/** The pinned version of a package. */
export const pinnedPython = (name) =>
  new RegExp(`^${name}==(.+)$`, 'm').exec(readFileSync(requirements, 'utf8'))?.[1];

const otherPython = (name, own) => ({
  name,
  reads: '/openapi.json',
  shows: 'basic',
  checks: basicChecks,
  programs: ['python3'],
  compile(client, surface, say) {
    const python = join(pythonGenerators(say), 'python');
    runCommand(python, ['-m', 'compileall', '-q', client]);
    cpSync(join(folder, name, `${surface}.py`), join(client, 'call.py'));
    cpSync(join(folder, 'check.py'), join(client, 'check.py'));
    return { command: python, args: [join(client, 'call.py')], environment: {} };
  },
  ...own,
});

/** @type {import('../language.mjs').Language} */
export const openapiPythonClient = otherPython('openapi-python-client', {
  tool: () => `openapi-python-client ${pinnedPython('openapi-python-client')}`,
  generate(surface, work, say) {
    const client = join(work, `openapi-python-client-${surface}`);
    const configuration = join(work, `openapi-python-client-${surface}.yaml`);
    // It formats with a program that it does not bring along.
    writeFileSync(configuration, 'post_hooks: []\n');
    const program = join(pythonGenerators(say), 'openapi-python-client');
    const given = ['--path', documentOf(surface, work), '--output-path', client, '--config', configuration];
    runCommand(program, ['generate', '--fail-on-warning', ...given]);
    return client;
  },
});

/** @type {import('../language.mjs').Language} */
export const datamodelCodegen = otherPython('datamodel-codegen', {
  tool: () =>
    `datamodel-code-generator ${pinnedPython('datamodel-code-generator')} (pydantic 2; models only)`,
  generate(surface, work, say) {
    const client = join(work, `datamodel-codegen-${surface}`);
    mkdirSync(client);
    runCommand(join(pythonGenerators(say), 'datamodel-codegen'), [
      ...['--input', documentOf(surface, work), '--input-file-type', 'openapi'],
      ...['--output-model-type', 'pydantic_v2.BaseModel', '--output', join(client, 'models.py')],
    ]);
    return client;
  },
});
