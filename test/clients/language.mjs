import { join } from 'node:path';
import { runGenerator } from '../../scripts/tools/openapi-generator.mjs';

/**
 * @typedef {object} Caller A program that takes the address of a surface and says `ok …` or `failed …` for each check.
 * @property {string} command
 * @property {string[]} args
 * @property {Record<string, string>} environment
 *
 * @typedef {object} Language
 * @property {string} name of the language or of its generator, by which it is asked for
 * @property {() => string} tool the generator and its version, as docs/clients.md names it
 * @property {string} reads which document: `/openapi.json` or `/openapi-3.0.json`
 * @property {string} shows what is held against live programs, as docs/clients.md says it
 * @property {string[]} programs what has to be installed
 * @property {Record<string, string[]>} checks of its caller, by surface; one that falls silent has failed
 * @property {(surface: string, work: string, say: (line: string) => void) => string} generate makes the client, and gives its folder
 * @property {(client: string, surface: string, say: (line: string) => void) => Caller} compile compiles a client and its caller
 */

/** The name of a surface in one word: `managed_agent`. */
export const plainName = (surface) => surface.replaceAll('-', '_');

/** The contract of a surface, which the runner reads from the live one. */
export const documentOf = (surface, work) => join(work, `${surface}.json`);

/** The same as OpenAPI 3.0. */
export const olderDocumentOf = (surface, work) => join(work, `${surface}-3.0.json`);

/** The checks of every caller. */
export const basicChecks = {
  gateway: [
    'a prompt is accepted',
    'its record is completed and has the answer',
    'an unknown request is a typed 404',
    'a broken rule is a typed 422',
  ],
  'managed-agent': [
    'the agents are listed',
    'its detail is distinguished by transport',
    'an unknown agent is a typed 404',
  ],
};

/** Those of callers that try more. */
export const allChecks = {
  gateway: [
    ...basicChecks.gateway,
    'its end is among the events, distinguished by kind',
    'an event of a kind that it does not know is passed over',
    'a reminder is created',
    'the reminder is deleted',
  ],
  'managed-agent': [
    ...basicChecks['managed-agent'],
    'a turn runs once, and its record has the answer',
    'what the agent wrote is read as text',
  ],
};

/**
 * A client by openapi-generator. Of 3.1 it makes a class of each enum that may grow, of 3.0 a text, which any word fits.
 * @param {string} generator its name there
 * @param {(surface: string) => Record<string, string>} properties of the generator
 */
export const byOpenApiGenerator = (generator, properties) => (surface, work) => {
  const client = join(work, `${generator}-${surface}`);
  const given = Object.entries(properties(surface)).map(([name, value]) => `${name}=${value}`);
  runGenerator(
    ...['-g', generator, '-i', olderDocumentOf(surface, work), '-o', client],
    ...['--git-host', 'example.com', '--git-user-id', 'houmao', '--git-repo-id', plainName(surface)],
    ...['--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'],
    ...(given.length === 0 ? [] : [`--additional-properties=${given.join(',')}`]),
  );
  return client;
};
