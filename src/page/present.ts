import { sharedErrors } from './catalogues.js';
import {
  anchorOf,
  type ContractDocument,
  type ContractResponse,
  methods,
  type Operation,
  operationsOf,
} from './contract-document.js';
import type { Immutable, MakePlugin } from './swagger.js';

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

/** Makes a link of each operation that a text mentions as `` `GET /path` ``, whatever query stands behind it. */
function linkOperations(document: ContractDocument): (text: string) => string {
  const anchors = new Map(
    operationsOf(document).map(({ method, path, operation }) => [
      `${method.toUpperCase()} ${path}`,
      anchorOf(operation),
    ]),
  );
  return (text) =>
    text.replaceAll(
      /`(GET|PUT|POST|DELETE)\s+(\/[^`?]*)(\?[^`]*)?`/g,
      (whole, method: string, path: string) => {
        const anchor = anchors.get(`${method} ${path}`);
        return anchor === undefined ? whole : `[${whole.replaceAll(/\s+/g, ' ')}](${anchor})`;
      },
    );
}

/**
 * What an answer leads to, in its text: Swagger UI has a column for that, which names operations and leads to none.
 * @returns the answer with that text, and without its links; an answer without links as it is.
 */
function tellLinks(document: ContractDocument): (response: ContractResponse) => ContractResponse {
  const operations = new Map(operationsOf(document).map((placed) => [placed.operation.operationId, placed]));
  return (response) => {
    const { links, ...rest } = response;
    if (links === undefined) return response;
    const lines = Object.values(links).flatMap(({ operationId, description }) => {
      const placed = operations.get(operationId);
      if (placed === undefined) return [];
      const name = `${placed.method.toUpperCase()} ${placed.path}`;
      return [
        `* [\`${name}\`](${anchorOf(placed.operation)})${description === undefined ? '' : `: ${description}`}`,
      ];
    });
    return lines.length === 0 ? rest : { ...rest, description: `${rest.description}\n\n${lines.join('\n')}` };
  };
}

/** Marks an operation in the list that would be refused now; why stands in its description. */
export const unavailable: MakePlugin = () => ({
  wrapComponents: {
    OperationSummaryPath:
      (Original, { React }) =>
      (properties) => {
        const operation = properties.operationProps as Immutable;
        const path = React.createElement(Original, properties);
        if (typeof operation.getIn(['op', 'x-houmao-unavailable']) !== 'string') return path;
        const mark = React.createElement('span', { className: 'not-available' }, 'not available now');
        return React.createElement(React.Fragment, null, path, mark);
      },
  },
});
