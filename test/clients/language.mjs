import { join } from 'node:path';
import { runGenerator } from '../../scripts/tools/openapi-generator.mjs';

/**
 * @typedef {object} Caller A program that takes the address of a gateway and says `ok …` or `failed …` for each check.
 * @property {string} command
 * @property {string[]} args
 * @property {Record<string, string>} environment
 *
 * @typedef {object} Language
 * @property {string} name openapi-generator's own
 * @property {string[]} programs what has to be installed
 * @property {Record<string, string>} properties of the generator
 * @property {(client: string, say: (line: string) => void) => Caller} compile compiles a client and its caller
 */

/**
 * Generates the client of a language from the bundled contract.
 * @param {Language} language
 * @returns {string} its folder
 */
export function generateClient(language, work) {
  const client = join(work, language.name);
  const properties = Object.entries(language.properties).map(([name, value]) => `${name}=${value}`);
  runGenerator(
    ...['-g', language.name, '-i', 'generated/gateway/openapi.json', '-o', client],
    ...['--git-host', 'example.com', '--git-user-id', 'houmao', '--git-repo-id', 'gateway'],
    ...['--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'],
    `--additional-properties=${properties.join(',')}`,
  );
  return client;
}
