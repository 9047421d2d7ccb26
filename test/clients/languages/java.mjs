import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../../scripts/tools/run-command.mjs';

/** @type {import('../language.mjs').Language} */
export const java = {
  name: 'java',
  programs: ['javac', 'mvn'],
  properties: {
    library: 'native',
    groupId: 'houmao',
    artifactId: 'gateway',
    invokerPackage: 'houmao.gateway',
    apiPackage: 'houmao.gateway.api',
    modelPackage: 'houmao.gateway.model',
    // Else it sends [] for lists that are not set.
    containerDefaultToNull: 'true',
  },
  compile(client) {
    cpSync('test/clients/java/Call.java', join(client, 'src/main/java/houmao/gateway/Call.java'));
    const paths = join(client, 'class-path.txt');
    const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${paths}`];
    runCommand('mvn', ['--quiet', '--batch-mode', '-Dmaven.test.skip=true', ...goals], { cwd: client });
    const classes = `${join(client, 'target/classes')}:${readFileSync(paths, 'utf8').trim()}`;
    return { command: 'java', args: ['-cp', classes, 'houmao.gateway.Call'], environment: {} };
  },
};
