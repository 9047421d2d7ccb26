import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { BodyShape } from '../../../src/http/body/read-body.js';
import { ownFormats } from '../../../src/http/contract/formats.js';
import type { Part } from '../../contract/support/bundle.js';
import type { Schema } from './schema-arbitrary.js';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}
export interface HostileOperation {
  operationId: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** Null when the operation takes no body. */
  body: Schema | null;
  /** Whether it does without one, too: no bytes are none. */
  bodyOptional: boolean;
  statuses: ReadonlySet<number>;
}

/** Whether a body is small enough to be looked at what it says. */
export const isWithinLimits = (bytes: Buffer): boolean =>
  bytes.length <= 1024 * 1024 && new BodyShape({ values: 5000, depth: 64 }).feed(bytes) === null;

/** A contract as those see it who hold answers against it. */
export interface HostileContract {
  /** Every operation, with what it takes. */
  readonly operations: readonly HostileOperation[];
  /** The part of the document to which a reference leads. */
  resolve(reference: string): Part;
  /** Whether a value keeps to a schema of the contract. */
  accepts(schema: Schema, value: unknown): boolean;
  /** Whether a body of these bytes is one that the contract's schema allows. */
  isValidBody(schema: Schema, bytes: Buffer): boolean;
  /** Whether a query is one that the contract allows. */
  isValidQuery(operation: HostileOperation, query: URLSearchParams): boolean;
  /** Whether an answer with that status is JSON by the contract. */
  isJson(operation: HostileOperation, status: number): boolean;
  /** @returns what an answer breaks, in words, or null when it is as its operation says. */
  brokenBy(operation: HostileOperation, status: number, body: unknown): string | null;
}

/** The contract's document, for an ajv that knows nothing of our walls. */
const documentId = 'contract:document';

/** @param document a bundled contract */
export function contractOf(document: Part): HostileContract {
  const ajv = newAjv(document, false);
  /** Parameters arrive as text. */
  const coercing = newAjv(document, true);
  const known = new Map<string, ValidateFunction>();
  const validatorOf = (which: Ajv, schema: Schema): ValidateFunction => {
    const text = `${which === ajv}${JSON.stringify(schema)}`;
    const found = known.get(text) ?? which.compile(absolute(schema));
    known.set(text, found);
    return found;
  };
  const accepts = (schema: Schema, value: unknown): boolean => validatorOf(ajv, schema)(value);
  const resolve = (reference: string): Part =>
    reference
      .slice(2)
      .split('/')
      .reduce((at: Part, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  const resolved = (part: Part): Part => (part?.$ref ? resolve(part.$ref) : part);
  const contentOf = (operation: HostileOperation, status: number): Part =>
    resolved(
      resolve(`#/paths/${operation.path.replaceAll('/', '~1')}`)[operation.method.toLowerCase()].responses[
        String(status)
      ],
    )?.content;
  const isValidParameter = (schema: Schema, text: string): boolean => {
    const holder = { value: text as unknown };
    const valid = validatorOf(coercing, { type: 'object', properties: { value: schema } })(holder);
    return valid && (typeof holder.value !== 'number' || Number.isFinite(holder.value));
  };
  return {
    operations: operationsOf(document, resolved),
    resolve,
    accepts,
    isValidBody(schema, bytes) {
      try {
        return accepts(schema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
      } catch {
        return false;
      }
    },
    isValidQuery(operation, query) {
      const parameters = operation.parameters.filter((one) => one.in === 'query');
      const schemas = new Map(parameters.map((one) => [one.name, one.schema]));
      if (parameters.some(({ name, required }) => required && !query.has(name))) return false;
      return [...query.keys()].every((name) => {
        const schema = schemas.get(name);
        const texts = query.getAll(name);
        if (schema === undefined || texts.includes('')) return false;
        // A list is written as one parameter for each of its values; no other one comes twice.
        if (schema.type !== 'array') return texts.length === 1 && isValidParameter(schema, texts[0] ?? '');
        const list = { ...schema, items: {} };
        return accepts(list, texts) && texts.every((text) => isValidParameter(schema.items as Schema, text));
      });
    },
    isJson: (operation, status) => contentOf(operation, status)?.['application/json'] !== undefined,
    brokenBy(operation, status, body) {
      const schema = contentOf(operation, status)?.['application/json']?.schema;
      if (!schema) return `no schema for ${status}`;
      const validate = validatorOf(ajv, schema);
      return validate(body) ? null : JSON.stringify(validate.errors?.slice(0, 3));
    },
  };
}

function newAjv(document: Part, coerceTypes: boolean): Ajv {
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
  ajv.addSchema(document, documentId);
  return ajv;
}

/** References of the document, as they are written outside of it. */
const absolute = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${documentId}#/components/`)) as Schema;

const operationsOf = (document: Part, resolved: (part: Part) => Part): HostileOperation[] =>
  Object.entries<Part>(document.paths).flatMap(([path, item]) =>
    ['get', 'put', 'post', 'delete']
      .filter((method) => item[method])
      .map((method) => ({
        operationId: item[method].operationId,
        method: method.toUpperCase(),
        path,
        parameters: (item[method].parameters ?? []).map(resolved),
        body: resolved(item[method].requestBody)?.content['application/json'].schema ?? null,
        bodyOptional: resolved(item[method].requestBody)?.required !== true,
        statuses: new Set(Object.keys(item[method].responses).map(Number)),
      })),
  );
