import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatorVersion } from '../../../scripts/tools/openapi-generator.mjs';
import { runCommand } from '../../../scripts/tools/run-command.mjs';
import { allChecks, byOpenApiGenerator, plainName } from '../language.mjs';

/** @type {import('../language.mjs').Language} */
export const java = {
  name: 'java',
  tool: () => `openapi-generator java ${generatorVersion()}`,
  reads: '/openapi-3.0.json',
  shows: 'all',
  checks: allChecks,
  programs: ['javac', 'mvn'],
  generate: byOpenApiGenerator('java', (surface) => ({
    library: 'native',
    groupId: 'houmao',
    artifactId: plainName(surface),
    invokerPackage: `houmao.${plainName(surface)}`,
    apiPackage: `houmao.${plainName(surface)}.api`,
    modelPackage: `houmao.${plainName(surface)}.model`,
    // Else it sends [] for lists that are not set.
    containerDefaultToNull: 'true',
    // Else each later parameter is one more argument of every call.
    useSingleRequestParameter: 'true',
  })),
  compile(client, surface) {
    const caller = join(client, 'src/main/java/houmao', plainName(surface), 'Call.java');
    cpSync(join('test/clients/java', surface, 'Call.java'), caller);
    const paths = join(client, 'class-path.txt');
    const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${paths}`];
    runCommand('mvn', ['--quiet', '--batch-mode', '-Dmaven.test.skip=true', ...goals], { cwd: client });
    const classes = `${join(client, 'target/classes')}:${readFileSync(paths, 'utf8').trim()}`;
    return { command: 'java', args: ['-cp', classes, `houmao.${plainName(surface)}.Call`], environment: {} };
  },
};
