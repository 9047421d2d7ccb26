import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { BodyShape } from '../../../src/http/body/body-shape.js';
import { ownFormats } from '../../../src/http/contract/formats.js';
import { bundle, type Part } from '../../contract/support/bundle.js';
import type { Schema } from './schema-arbitrary.js';

/** The contract's document, for an ajv that knows nothing of the gateway's walls. */
const documentId = 'contract:document';

function newAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    strict: false,
    // 1e400 is no number (docs/decisions.md#strict-types).
    strictNumbers: true,
    validateSchema: false,
    coerceTypes,
    allErrors: false,
    logger: false,
  });
  addFormats.default(ajv, { mode: 'full' });
  for (const [name, format] of Object.entries(ownFormats)) ajv.addFormat(name, format);
  ajv.addSchema(bundle, documentId);
  return ajv;
}
const ajv = newAjv(false);
/** Parameters arrive as text. */
const coercing = newAjv(true);

const known = new Map<string, ValidateFunction>();
function validatorOf(which: Ajv, schema: Schema): ValidateFunction {
  const text = `${which === ajv}${JSON.stringify(schema)}`;
  const found = known.get(text) ?? which.compile(absolute(schema));
  known.set(text, found);
  return found;
}

/** References of the document, as they are written outside of it. */
const absolute = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${documentId}#/components/`)) as Schema;

export const resolve = (reference: string): Part =>
  reference
    .slice(2)
    .split('/')
    .reduce((at: Part, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], bundle);
const resolved = (part: Part): Part => (part?.$ref ? resolve(part.$ref) : part);

/** Whether a value keeps to a schema of the contract. */
export const accepts = (schema: Schema, value: unknown): boolean => validatorOf(ajv, schema)(value);

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}
export interface HostileOperation {
  operationId: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** Null when the operation takes no body. */
  body: Schema | null;
  statuses: ReadonlySet<number>;
}

/** Every operation of the contract, with what it takes. */
export const operations: HostileOperation[] = Object.entries<Part>(bundle.paths).flatMap(([path, item]) =>
  ['get', 'put', 'post', 'delete']
    .filter((method) => item[method])
    .map((method) => ({
      operationId: item[method].operationId,
      method: method.toUpperCase(),
      path,
      parameters: (item[method].parameters ?? []).map(resolved),
      body: resolved(item[method].requestBody)?.content['application/json'].schema ?? null,
      statuses: new Set(Object.keys(item[method].responses).map(Number)),
    })),
);

/** Whether a body is small enough for the gateway to look at what it says. */
export const isWithinLimits = (bytes: Buffer): boolean =>
  bytes.length <= 1024 * 1024 && new BodyShape({ values: 5000, depth: 64 }).feed(bytes) === null;

/** Whether a body of these bytes is one that the contract's schema allows. */
export function isValidBody(schema: Schema, bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return value !== null && accepts(schema, value);
  } catch {
    return false;
  }
}

/** Whether a query is one that the contract allows. */
export function isValidQuery(operation: HostileOperation, query: URLSearchParams): boolean {
  const parameters = new Map(
    operation.parameters.filter((one) => one.in === 'query').map((one) => [one.name, one.schema]),
  );
  return [...query.keys()].every((name) => {
    const schema = parameters.get(name);
    const texts = query.getAll(name);
    if (!schema || texts.length !== 1 || texts[0] === '') return false;
    const holder = { value: texts[0] as unknown };
    const valid = validatorOf(coercing, { type: 'object', properties: { value: schema } })(holder);
    return valid && (typeof holder.value !== 'number' || Number.isFinite(holder.value));
  });
}

/** @returns what an answer breaks, in words, or null when it is as its operation says. */
export function brokenBy(operation: HostileOperation, status: number, body: unknown): string | null {
  const item = resolve(`#/paths/${operation.path.replaceAll('/', '~1')}`)[operation.method.toLowerCase()];
  const schema = resolved(item.responses[String(status)])?.content?.['application/json']?.schema;
  if (!schema) return `no schema for ${status}`;
  const validate = validatorOf(ajv, schema);
  return validate(body) ? null : JSON.stringify(validate.errors?.slice(0, 3));
}
