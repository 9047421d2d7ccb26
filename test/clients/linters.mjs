import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeEnvironment } from '../../scripts/tools/node-environment.mjs';
import { runBin, runCommand } from '../../scripts/tools/run-command.mjs';
import { pinnedPython, pythonGenerators } from './languages/other-python.mjs';

const manifest = 'test/clients/spectral/package.json';
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const pin = (file, name) => readJson(file).devDependencies[name];

/**
 * @typedef {object} Linter A program that finds nothing to warn of in a document, of OpenAPI 3.1 and of 3.0.
 * @property {string} name
 * @property {() => string} tool its name and version, as docs/clients.md has them
 * @property {(document: string, work: string, say: (line: string) => void) => void} lint throws an Error with what it found
 */

/** @type {Linter[]} */
export const linters = [
  {
    name: 'openapi-spec-validator',
    tool: () => `openapi-spec-validator ${pinnedPython('openapi-spec-validator')}`,
    lint: (document, _work, say) => {
      runCommand(join(pythonGenerators(say), 'openapi-spec-validator'), [document]);
    },
  },
  {
    name: 'spectral',
    tool: () => `Spectral ${pin(manifest, '@stoplight/spectral-cli')}, \`spectral:oas\``,
    lint: (document, work, say) => {
      const ruleset = join(work, 'spectral.yaml');
      writeFileSync(ruleset, "extends: ['spectral:oas']\n");
      const program = join(nodeEnvironment('spectral', readJson(manifest), { say }), '.bin', 'spectral');
      runCommand(program, ['lint', '--ruleset', ruleset, '--fail-severity', 'hint', document]);
    },
  },
  {
    name: 'redocly',
    tool: () => `Redocly ${pin('package.json', '@redocly/cli')}, \`recommended\``,
    lint: (document, work) => {
      const configuration = join(work, 'redocly.yaml');
      // By itself it closes what stands below `then` and `else`, too, and refuses every field that the rest of the schema has.
      const closing = ['media-type', 'schema'].map(
        (kind) => `  no-invalid-${kind}-examples: { severity: error, allowAdditionalProperties: true }\n`,
      );
      writeFileSync(configuration, `extends: [recommended-strict]\nrules:\n${closing.join('')}`);
      runBin('redocly', 'lint', '--config', configuration, document);
    },
  },
];
