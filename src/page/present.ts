import { type ContractDocument, methods, type Operation } from './contract/contract-document.js';
import { linkOperations } from './contract/link-operations.js';
import { tellLinks } from './contract/response-links.js';
import { sharedErrors } from './contract/shared-errors.js';

/**
 * The document as Swagger UI draws it: each operation with its own errors alone and with what keeps it from being done, the
 * operations that texts mention as links, and no word of a token where the page has come without one.
 * @param withToken whether it took one: then it can be seen, changed and taken back.
 */
export function present(document: ContractDocument, withToken: boolean): ContractDocument {
  const shared = new Set(sharedErrors(document).map(({ status }) => status));
  const link = linkOperations(document);
  const told = tellLinks(document);
  const shown = (operation: Operation): Operation => {
    const { security: _, ...rest } = operation as Operation & { security?: unknown };
    return {
      ...rest,
      description: link(noteOf(operation) + (operation.description ?? '')),
      responses: Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => !shared.has(status))
          .map(([status, response]) => [status, '$ref' in response ? response : told(response)]),
      ),
    };
  };
  // All of it is served where the page comes from.
  const { security, servers: _servers, ...rest } = document as ContractDocument & WithoutUse;
  const { securitySchemes, schemas, ...components } = document.components ?? {};
  return {
    ...rest,
    ...(withToken ? { security } : {}),
    info: { ...document.info, description: link(document.info.description ?? '') + contractNote },
    components: {
      ...components,
      ...(withToken ? { securitySchemes } : {}),
      schemas: withoutDiscriminators(schemas ?? {}),
    },
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item).map(([method, operation]) => [
            method,
            (methods as readonly string[]).includes(method) ? shown(operation) : operation,
          ]),
        ),
      ]),
    ),
  };
}

/** The kinds of one schema say themselves which they are; a table of their references beside them helps programs alone. */
const withoutDiscriminators = (schemas: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schemas, (key, value) => (isDiscriminator(key, value) ? undefined : value)));

/** A property may have that name, too. */
const isDiscriminator = (key: string, value: unknown): boolean =>
  key === 'discriminator' && typeof value === 'object' && value !== null && 'propertyName' in value;

/** What would only offer choices that there are not. */
interface WithoutUse {
  readonly security?: unknown;
  readonly servers?: unknown;
}

const contractNote = '\n\n**The contract** of all this, for programs: [openapi.json](/openapi.json).';

/** @returns nothing for what can be done. */
const noteOf = ({ 'x-houmao-unavailable': sentence }: Operation): string =>
  sentence === undefined
    ? ''
    : // Words in angle brackets would be taken for an element of HTML, and left out.
      `> **Not available now.** It would answer: ${sentence.replaceAll('<', '&lt;')}\n\n`;
