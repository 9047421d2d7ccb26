import {
  type ContractDocument,
  type ContractSchema,
  type Parameter,
  type PlacedOperation,
  resolved,
  type SdkClient,
} from '../contract/document/contract-document.js';

type Value = string | number | boolean;
type Values = Readonly<Record<string, Value>>;

/** A call of an operation, with the values of its first samples or those that a person filled in. */
export interface SampleCall {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly pathValues: Values;
  readonly query: Values;
  readonly headers: Values;
  /** Undefined where the operation takes none. */
  readonly body: unknown;
  /** Whether the operation answers text instead of JSON. */
  readonly text: boolean;
}

/** The values in the fields of an operation on the page. */
export interface FormValues {
  /** By place and name, such as `query.limit`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The text of the body; missing where there is none yet. */
  readonly body?: string | undefined;
}

/**
 * Returns the content that the samples of all languages have in common.
 * @param filledIn where it is left out, the values are those of the contract's samples.
 * @returns null for a body that is not JSON: no sample could send it.
 */
export function callOf(document: ContractDocument, placed: PlacedOperation): SampleCall;
export function callOf(
  document: ContractDocument,
  placed: PlacedOperation,
  filledIn: FormValues,
): SampleCall | null;
export function callOf(
  document: ContractDocument,
  { method, path, operation }: PlacedOperation,
  filledIn?: FormValues,
): SampleCall | null {
  const parameters = (operation.parameters ?? []).map((one) => resolved(document, one));
  const givenFor = (one: Parameter): unknown =>
    filledIn ? typed(document, one, filledIn.parameters[`${one.in}.${one.name}`]) : one.example;
  const valuesIn = (place: Parameter['in']): Values =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place)
        .map((one) => [one.name, givenFor(one)])
        .filter((entry): entry is [string, Value] => entry[1] !== undefined),
    );
  const media = operation.requestBody?.content['application/json'];
  const sample = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  const body = media && filledIn?.body !== undefined ? read(filledIn.body) : { value: sample };
  if (body === null) return null;
  const answer = operation.responses['200'];
  const content = answer === undefined ? {} : (resolved(document, answer).content ?? {});
  return {
    method: method.toUpperCase(),
    path,
    operationId: operation.operationId,
    pathValues: valuesIn('path'),
    query: valuesIn('query'),
    headers: valuesIn('header'),
    body: body.value,
    text: 'text/plain' in content,
  };
}

/** Converts the text of a field to the number or boolean that the SDK takes. @returns undefined for an empty field. */
function typed(document: ContractDocument, { schema }: Parameter, given: unknown): unknown {
  if (given === undefined || given === null || given === '') return undefined;
  const { type } = schema === undefined ? {} : resolved<ContractSchema>(document, schema);
  const text = String(given);
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return (type === 'integer' || type === 'number') && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Reads the text of a body; an empty text is no body. @returns null for a text that is not JSON. */
function read(text: string): { value: unknown } | null {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Returns the address of a call, relative to that of its server. */
export function addressOf({ path, pathValues, query }: SampleCall): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = pathValues[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.append(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/** Writes a sample for a shell. @param baseUrl of the server. */
export function curlSample(call: SampleCall, baseUrl: string): string {
  const lines = [
    `curl -s ${call.method === 'GET' ? '' : `-X ${call.method} `}${shellQuoted(baseUrl + addressOf(call))}`,
  ];
  for (const [name, value] of Object.entries(call.headers))
    lines.push(`  -H ${shellQuoted(`${name}: ${value}`)}`);
  if (call.body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json'`);
    lines.push(`  -d ${shellQuoted(JSON.stringify(call.body))}`);
  }
  return lines.join(' \\\n');
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Writes a sample for plain Python 3, without a package. @param baseUrl of the server. */
export function pythonSample(call: SampleCall, baseUrl: string): string {
  const hasBody = call.body !== undefined;
  const json = hasBody || !call.text;
  const headers = [
    ...(hasBody ? ["'Content-Type': 'application/json'"] : []),
    ...Object.entries(call.headers).map(([name, value]) => `'${name}': ${pythonLiteral(String(value), 0)}`),
  ];
  return [
    ...(json ? ['import json'] : []),
    'import urllib.request',
    '',
    ...(hasBody ? [`body = ${pythonLiteral(call.body, 0)}`] : []),
    'request = urllib.request.Request(',
    `    ${pythonLiteral(baseUrl + addressOf(call), 0)},`,
    ...(hasBody ? ['    data=json.dumps(body).encode(),'] : []),
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    `    method='${call.method}',`,
    ')',
    'with urllib.request.urlopen(request) as answer:',
    call.text ? "    print(answer.read().decode('utf-8'))" : '    print(json.load(answer))',
    '',
  ].join('\n');
}

/** Writes a JSON value as Python does. @param depth of indentation. */
function pythonLiteral(value: unknown, depth: number): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'number') return String(value);
  // JSON's escapes mean the same in Python.
  if (typeof value === 'string') return JSON.stringify(value);
  const indent = '    '.repeat(depth + 1);
  const close = '    '.repeat(depth);
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map((item) => `${indent}${pythonLiteral(item, depth + 1)},\n`).join('')}${close}]`;
  const fields = Object.entries(value as object);
  return fields.length === 0
    ? '{}'
    : `{\n${fields.map(([name, item]) => `${indent}${JSON.stringify(name)}: ${pythonLiteral(item, depth + 1)},\n`).join('')}${close}}`;
}

/** Writes a sample for the SDK. @param baseUrl of the server. */
export function typescriptSample(call: SampleCall, baseUrl: string, { module, create }: SdkClient): string {
  const parts = [
    ...typescriptPart('path', call.pathValues),
    ...typescriptPart('query', call.query),
    ...typescriptPart('headers', call.headers),
    ...(call.body === undefined ? [] : [`  body: ${typescriptLiteral(call.body, 1)},`]),
  ];
  const given = parts.length === 0 ? '' : `{\n${parts.join('\n')}\n}`;
  return [
    `import { ${create} } from '${module}';`,
    '',
    `const client = ${create}({ baseUrl: ${typescriptText(baseUrl)} });`,
    `console.log(await client.${call.operationId}(${given}));`,
    '',
  ].join('\n');
}

const typescriptPart = (name: string, values: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(values).length === 0 ? [] : [`  ${name}: ${typescriptLiteral(values, 1)},`];

function typescriptLiteral(value: unknown, depth: number): string {
  if (typeof value === 'string') return typescriptText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => typescriptLiteral(item, depth)).join(', ')}]`;
  const fields = Object.entries(value).map(
    ([name, item]) => `${typescriptKey(name)}: ${typescriptLiteral(item, depth + 1)}`,
  );
  const line = `{ ${fields.join(', ')} }`;
  if (fields.length === 0) return '{}';
  const indent = '  '.repeat(depth);
  return line.length <= 80 && !line.includes('\n')
    ? line
    : `{\n${fields.map((field) => `${indent}  ${field},\n`).join('')}${indent}}`;
}

const typescriptKey = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : typescriptText(name));
const typescriptText = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
