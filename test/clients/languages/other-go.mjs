import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goToolchain } from '../../../scripts/tools/go-toolchain.mjs';
import { runCommand } from '../../../scripts/tools/run-command.mjs';
import { basicChecks, olderDocumentOf, plainName } from '../language.mjs';

const folder = 'test/clients/go-others';

/** A client in Go by a generator that is itself a program of Go. */
const otherGo = (name, { module, version, args, ...own }) => ({
  name,
  tool: () => `${name} ${version}`,
  reads: '/openapi-3.0.json',
  shows: 'basic',
  checks: basicChecks,
  programs: ['go'],
  generate(surface, work, say) {
    const { command, environment } = goToolchain(say);
    const client = join(work, `${name}-${surface}`);
    mkdirSync(client);
    writeFileSync(join(client, 'go.mod'), `module example.com/houmao/${plainName(surface)}\n\ngo 1.26\n`);
    const generator = `${module}@v${version}`;
    runCommand(command, ['run', generator, ...args(surface, olderDocumentOf(surface, work))], {
      cwd: client,
      env: environment,
    });
    return client;
  },
  compile(client, surface, say) {
    const { command, environment } = goToolchain(say);
    const caller = join(client, 'call');
    cpSync(join(folder, name, surface), caller, { recursive: true });
    cpSync(join(folder, 'check.go'), join(caller, 'check.go'));
    // The modules that the client needs, their checksums included.
    runCommand(command, ['mod', 'tidy'], { cwd: client, env: environment });
    runCommand(command, ['build', '-o', 'caller', './call'], { cwd: client, env: environment });
    return { command: join(client, 'caller'), args: [], environment: {} };
  },
  ...own,
});

/** @type {import('../language.mjs').Language} */
export const oapiCodegen = otherGo('oapi-codegen', {
  // Of 3.1 it makes a union that has to be taken apart of each enum that may grow, of 3.0 a text.
  module: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen',
  version: '2.8.2',
  args: (surface, document) => [
    ...['-generate', 'types,client', '-package', plainName(surface), '-o', 'client.gen.go'],
    document,
  ],
});

/** @type {import('../language.mjs').Language} */
export const ogen = otherGo('ogen', {
  // Of 3.1 it makes one type of all answers that have the same body and headers of the same names, whatever the words of these
  // are, and that does not compile: github.com/ogen-go/ogen/pull/1679 tells them apart by the names only.
  module: 'github.com/ogen-go/ogen/cmd/ogen',
  version: '1.25.0',
  args: (surface, document) => ['--target', '.', '--package', plainName(surface), document],
});
