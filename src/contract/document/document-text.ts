// A contract as Markdown, for readers that are programs: short, and each line by itself.
import { oneLine, sharedErrors } from './catalogues.js';
import {
  byTag,
  type ContractDocument,
  type ContractSchema,
  type Media,
  type PlacedOperation,
  type Referring,
  resolved,
  workflowPath,
} from './contract-document.js';

/** Begins most paths of a server: written once, it leaves an index of half the length. */
const agentPath = '/houmao/agents/{agent_ref}';

/** Returns the index of a surface (https://llmstxt.org): every operation with its method, path and summary, and where the rest is. */
export function indexText(document: ContractDocument): string {
  const { title, version, summary, 'x-houmao-workflows': workflows = [] } = document.info;
  const tags = byTag(document);
  const isLong = Object.keys(document.paths).some((path) => path.startsWith(agentPath));
  const events = tags.some(({ name }) => name === 'events') ? ', [kinds of events](/docs/events.md)' : '';
  return [
    `# ${title} ${version}`,
    '',
    `> ${summary}`,
    '',
    'JSON in and out. A refusal has a sentence in `detail` and a word in its header `X-Houmao-Error-Code`.',
    'Each heading is a file in `/openapi/`: the parameters, bodies and answers of what is below it; with `.json` in place of `.md` as OpenAPI.',
    `Everything: [openapi.json](/openapi.json), [as OpenAPI 3.0](/openapi-3.0.json), [error codes](/docs/errors.md)${events}.`,
    ...(workflows.length === 0 ? [] : [`Workflows (Arazzo): ${workflows.map(workflowPath).join(', ')}.`]),
    ...(isLong ? [`\`~\` is \`${agentPath}\`.`] : []),
    ...tags.flatMap(({ name, operations }) => [
      '',
      `## ${name}.md`,
      ...byPath(operations).map(([path, ways]) => `- ${path.replace(agentPath, '~')}: ${ways.join('; ')}`),
    ]),
    '',
  ].join('\n');
}

/** Returns each path with its methods and their summaries. */
function byPath(operations: readonly PlacedOperation[]): [string, string[]][] {
  const ways = new Map<string, string[]>();
  for (const { method, path, operation } of operations)
    ways.set(path, [...(ways.get(path) ?? []), `${method.toUpperCase()} ${operation.summary}`]);
  return [...ways];
}

/** Returns the operations of one tag, with their parameters, bodies and answers. @returns null where no operation has the tag. */
export function tagText(document: ContractDocument, tag: string): string | null {
  const found = byTag(document).find(({ name }) => name === tag);
  if (found === undefined || found.operations.length === 0) return null;
  const { title, version } = document.info;
  const shared = sharedErrors(document);
  const also = shared.map(
    ({ status, withBody, codes }) => `${status} (${codes.join(', ')}${withBody ? '; with a body' : ''})`,
  );
  const statuses = new Set(shared.map(({ status }) => status));
  return [
    `# ${tag}: ${oneLine(found.description)}`,
    '',
    `${title} ${version}. Every schema in full: /openapi/${tag}.json. Meaning of the error codes: /docs/errors.md.`,
    `Every operation can also answer ${also.join(', ')}.`,
    ...found.operations.flatMap((placed) => ['', ...operationText(document, placed, statuses)]),
    '',
  ].join('\n');
}

/** @param shared the statuses that all operations answer alike. */
function operationText(
  document: ContractDocument,
  { method, path, operation }: PlacedOperation,
  shared: ReadonlySet<string>,
): string[] {
  const parameters = (operation.parameters ?? []).map((one) => resolved(document, one));
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  return [
    `## ${method.toUpperCase()} ${path}`,
    `${operation.summary} (\`${operation.operationId}\`)`,
    ...(operation.description === undefined ? [] : ['', operation.description.trim()]),
    ...(parameters.length === 0 ? [] : ['', 'Parameters:']),
    ...parameters.map(({ name, in: place, required = false, schema, description }) =>
      line(name, [place, typeOf(document, schema), ...(required ? ['required'] : [])], description),
    ),
    ...bodies.flatMap(([type, media]) => ['', `Body (${type}):`, ...fieldsText(document, media)]),
    '',
    'Answers:',
    ...Object.entries(operation.responses)
      .filter(([status]) => !shared.has(status))
      .map(([status, answer]) => {
        const { description, headers, content = {} } = resolved(document, answer);
        const codes = headers?.['X-Houmao-Error-Code']?.schema?.enum ?? [];
        const [[type, { schema } = {}] = []] = Object.entries(content);
        const shape = codes.length > 0 || type === undefined ? codes : [nameOf(schema) ?? type];
        return line(status, shape, description);
      }),
  ];
}

/** Writes a line of a list. @param facts stand in parentheses. */
function line(name: string, facts: readonly string[], description: string | undefined): string {
  const text = oneLine(description);
  return `- \`${name}\`${facts.length === 0 ? '' : ` (${facts.join(', ')})`}${text === '' ? '' : `: ${text}`}`;
}

/** Returns the fields of a body, and those within them; those of each variant, where there are several. @param within the names on the way. */
function fieldsText(document: ContractDocument, { schema }: Media, within = ''): string[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [], oneOf, anyOf } = resolved<ContractSchema>(document, schema);
  const variants = within === '' ? (oneOf ?? anyOf ?? []) : [];
  return [
    ...variants.flatMap((one) => [
      '',
      `Either ${nameOf(one) ?? typeOf(document, one)}:`,
      ...fieldsText(document, { schema: one }),
    ]),
    ...Object.entries(properties).flatMap(([name, field]) => {
      const { description } = resolved<ContractSchema>(document, field);
      const facts = [typeOf(document, field), ...(required.includes(name) ? ['required'] : [])];
      return [
        line(within + name, facts, description),
        ...fieldsText(document, { schema: field }, `${within}${name}.`),
      ];
    }),
  ];
}

/** Returns the last part of a reference: the name of a schema in the tag's own document. */
const nameOf = (schema: ContractSchema | Referring | undefined): string | undefined =>
  schema !== undefined && '$ref' in schema ? schema.$ref.split('/').at(-1) : undefined;

/** Returns a type in few words: words of an enumeration, the types of a union, the name of an object. */
function typeOf(document: ContractDocument, schema: ContractSchema | Referring | undefined): string {
  if (schema === undefined) return 'any';
  const {
    type,
    const: only,
    enum: words,
    items,
    oneOf,
    anyOf,
    allOf,
  } = resolved<ContractSchema>(document, schema);
  if (only !== undefined) return JSON.stringify(only);
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(' | ');
  const variants = oneOf ?? anyOf ?? allOf;
  if (variants !== undefined) return variants.map((one) => typeOf(document, one)).join(' | ');
  const types = [type ?? 'any'].flat();
  if (types.includes('array')) return `array of ${typeOf(document, items)}`;
  return types.includes('object') ? (nameOf(schema) ?? 'object') : types.join(' | ');
}
