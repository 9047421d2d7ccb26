import { join } from 'node:path';
import { runGenerator } from '../../scripts/tools/openapi-generator.mjs';

/**
 * @typedef {object} Caller A program that takes the address of a surface and says `ok …` or `failed …` for each check.
 * @property {string} command
 * @property {string[]} args
 * @property {Record<string, string>} environment
 *
 * @typedef {object} Language
 * @property {string} name openapi-generator's own
 * @property {string[]} programs what has to be installed
 * @property {(surface: string) => Record<string, string>} properties of the generator
 * @property {(client: string, surface: string, say: (line: string) => void) => Caller} compile compiles a client and its caller
 */

/** The name of a surface in one word: `managed_agent`. */
export const plainName = (surface) => surface.replaceAll('-', '_');

/**
 * Generates the client of a language from the bundled contract.
 * @param {Language} language
 * @returns {string} its folder
 */
export function generateClient(language, surface, work) {
  const client = join(work, `${language.name}-${surface}`);
  const properties = Object.entries(language.properties(surface)).map(([name, value]) => `${name}=${value}`);
  runGenerator(
    ...['-g', language.name, '-i', `generated/${surface}/openapi.json`, '-o', client],
    ...['--git-host', 'example.com', '--git-user-id', 'houmao', '--git-repo-id', plainName(surface)],
    ...['--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'],
    `--additional-properties=${properties.join(',')}`,
  );
  return client;
}
