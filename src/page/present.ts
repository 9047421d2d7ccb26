import { sharedErrors } from '../contract/document/catalogues.js';
import {
  anchorOf,
  type ContractDocument,
  type ContractResponse,
  methods,
  type Operation,
  operationsOf,
  workflowPath,
} from '../contract/document/contract-document.js';
import type { Immutable, MakePlugin } from './swagger.js';

/**
 * Returns the document as Swagger UI draws it: each operation with only its own errors and the reason why it is not available;
 * the operations that texts mention as links; and nothing about a token where the page was opened without one.
 * @param withToken whether the page was opened with a token: then it can be seen, changed and removed.
 */
export function present(document: ContractDocument, withToken: boolean): ContractDocument {
  const shared = new Set(sharedErrors(document).map(({ status }) => status));
  const link = linkOperations(document);
  const withLinksDescribed = describeLinks(document);
  const shown = (operation: Operation): Operation => {
    const { security: _, ...rest } = operation as Operation & { security?: unknown };
    return {
      ...rest,
      description: link(noteOf(operation) + (operation.description ?? '')),
      responses: Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => !shared.has(status))
          .map(([status, response]) => [
            status,
            '$ref' in response ? response : withLinksDescribed(response),
          ]),
      ),
    };
  };
  // All operations are served by the page's own origin.
  const { security, servers: _servers, ...rest } = document as ContractDocument & WithoutUse;
  const { securitySchemes, schemas, ...components } = document.components ?? {};
  return {
    ...rest,
    ...(withToken ? { security } : {}),
    info: {
      ...document.info,
      description: link(document.info.description ?? '') + contractNote + workflowsNote(document),
    },
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

/** Removes the discriminators: each variant of a schema says which one it is, and a table of references helps only programs. */
const withoutDiscriminators = (schemas: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schemas, (key, value) => (isDiscriminator(key, value) ? undefined : value)));

/** Decides whether it is a discriminator: a property may have that name, too. */
const isDiscriminator = (key: string, value: unknown): boolean =>
  key === 'discriminator' && typeof value === 'object' && value !== null && 'propertyName' in value;

/** Parts of the document that would only offer choices that do not exist. */
interface WithoutUse {
  readonly security?: unknown;
  readonly servers?: unknown;
}

const contractNote = '\n\n**The contract** of all this, for programs: [openapi.json](/openapi.json).';

/** @returns an empty text for a surface without workflows. */
const workflowsNote = ({ info: { 'x-houmao-workflows': names = [] } }: ContractDocument): string =>
  names.length === 0
    ? ''
    : `\n\n**Workflows** to learn it by, which \`npx @redocly/cli respect\` runs: ${names.map((name) => `[${name}](${workflowPath(name)})`).join(', ')}.`;

/** @returns an empty text for an operation that is available. */
const noteOf = ({ 'x-houmao-unavailable': sentence }: Operation): string =>
  sentence === undefined
    ? ''
    : // Words in angle brackets would be taken for an HTML element, and left out.
      `> **Not available now.** It would answer: ${sentence.replaceAll('<', '&lt;')}\n\n`;

/** Makes a link of each operation that a text mentions as `` `GET /path` ``, with any query or none. */
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
 * Writes the links of an answer into its text: Swagger UI has a column for links that names operations but leads to none.
 * @returns the answer with that text, and without its links; an answer without links unchanged.
 */
function describeLinks(document: ContractDocument): (response: ContractResponse) => ContractResponse {
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

/** Marks an operation in the list that would be refused now; its description has the reason. */
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
