import {
  type ContractDocument,
  type ContractSchema,
  type Operation,
  operationsOf,
  type PlacedOperation,
  type Referring,
  resolved,
} from './contract-document.js';

/** A word that gives programs the reason of a refusal. */
export interface ErrorEntry {
  readonly code: string;
  /** Its meaning, as a sentence of the contract. */
  readonly sentence: string;
  /** Lowest first. */
  readonly statuses: readonly string[];
  /** The operations that may answer it, in the order of the contract. */
  readonly operations: readonly Operation[];
  /** Whether these are all operations, all operations with a body, or some. */
  readonly scope: 'every' | 'with body' | 'some';
}

/** Returns every error code of a surface, in alphabetical order. */
export function errorCatalogue(document: ContractDocument): ErrorEntry[] {
  const all = operationsOf(document).map(({ operation }) => operation);
  const sentences = (document.components?.['x-houmao-error-codes'] ?? {}) as Readonly<Record<string, string>>;
  const found = new Map<string, { statuses: Set<string>; operations: Set<Operation> }>();
  for (const operation of all)
    for (const [status, answer] of Object.entries(operation.responses)) {
      const header = resolved(document, answer).headers?.[errorCodeHeader];
      for (const code of header?.schema?.enum ?? []) {
        const entry = found.get(code) ?? { statuses: new Set(), operations: new Set() };
        found.set(code, entry);
        entry.statuses.add(status);
        entry.operations.add(operation);
      }
    }
  const withBody = all.filter(({ requestBody }) => requestBody);
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, { statuses, operations }]) => ({
      code,
      sentence: sentences[code] ?? '',
      statuses: [...statuses].sort(),
      operations: [...operations],
      scope: scopeOf(operations, all, withBody),
    }));
}

function scopeOf(
  operations: ReadonlySet<Operation>,
  all: readonly Operation[],
  withBody: readonly Operation[],
): ErrorEntry['scope'] {
  if (operations.size === all.length) return 'every';
  return operations.size === withBody.length && withBody.every((one) => operations.has(one))
    ? 'with body'
    : 'some';
}

/** An error that many operations answer alike. */
export interface SharedError {
  readonly status: string;
  /** Whether only operations with a body answer it. */
  readonly withBody: boolean;
  /** Its error codes. */
  readonly codes: readonly string[];
  readonly description: string;
}

const errorCodeHeader = 'X-Houmao-Error-Code';

/** Returns the errors that every operation, or every operation with a body, answers in exactly the same way. */
export function sharedErrors(document: ContractDocument): SharedError[] {
  const all = operationsOf(document);
  const withBody = all.filter(({ operation }) => operation.requestBody);
  const everywhere = alike(all);
  const withBodies = alike(withBody).filter(
    (status) =>
      !everywhere.includes(status) && !all.some((one) => !withBody.includes(one) && has(one, status)),
  );
  return [...everywhere, ...withBodies].sort().map((status) => {
    const response = resolved(document, withBody[0]?.operation.responses[status] ?? first(all, status));
    return {
      status,
      withBody: withBodies.includes(status),
      codes: response.headers?.[errorCodeHeader]?.schema?.enum ?? [],
      description: response.description.trim().replaceAll(/\s+/g, ' '),
    };
  });
}

const has = ({ operation }: PlacedOperation, status: string): boolean =>
  operation.responses[status] !== undefined;

function first(all: readonly PlacedOperation[], status: string) {
  const response = all[0]?.operation.responses[status];
  if (!response) throw new Error(`No operation answers ${status}.`);
  return response;
}

/** Returns the statuses of 400 and above that each of several operations answers in the same way. */
function alike(operations: readonly PlacedOperation[]): string[] {
  const [one, ...others] = operations;
  if (!one || others.length === 0) return [];
  return Object.entries(one.operation.responses)
    .filter(([status]) => status >= '400')
    .filter(([status, response]) => {
      const text = JSON.stringify(response);
      return others.every(({ operation }) => JSON.stringify(operation.responses[status]) === text);
    })
    .map(([status]) => status);
}

/** A field in the data of an event. */
interface EventField {
  readonly name: string;
  readonly description: string;
}
/** A kind of event. */
export interface EventEntry {
  readonly kind: string;
  /** The meaning of the event, as a sentence of the contract. */
  readonly sentence: string;
  readonly data: readonly EventField[];
}

/** Returns every kind of event, in the order of the contract; none where a surface has no events. */
export function eventCatalogue(document: ContractDocument): EventEntry[] {
  const event = document.components?.schemas?.GatewayEvent as ContractSchema | undefined;
  return Object.entries(event?.discriminator?.mapping ?? {}).map(([kind, $ref]) => {
    const schema = resolved<ContractSchema>(document, { $ref });
    const data = schema.properties?.data;
    return {
      kind,
      sentence: oneLine(schema.description),
      data: data === undefined ? [] : fieldsOf(document, data),
    };
  });
}

const fieldsOf = (document: ContractDocument, data: ContractSchema | Referring): EventField[] =>
  Object.entries(resolved(document, data).properties ?? {}).map(([name, field]) => ({
    name,
    description: oneLine(resolved(document, field).description),
  }));

export const oneLine = (text = ''): string => text.trim().replaceAll(/\s+/g, ' ');
