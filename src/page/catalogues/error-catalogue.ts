import {
  type ContractDocument,
  type Operation,
  operationsOf,
  resolved,
} from '../contract/contract-document.js';
import { errorCodeHeader } from '../contract/shared-errors.js';

/** A word by which programs tell why they were refused. */
export interface ErrorEntry {
  readonly code: string;
  /** What it means, as a sentence of the contract. */
  readonly sentence: string;
  /** Lowest first. */
  readonly statuses: readonly string[];
  /** Those that may answer it, in the order of the contract. */
  readonly operations: readonly Operation[];
  /** Whether that is every operation, or every operation with a body. */
  readonly scope: 'every' | 'with body' | 'some';
}

/** Every error code of a surface, in alphabetical order. */
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
