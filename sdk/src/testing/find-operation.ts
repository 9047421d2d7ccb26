import type { ContractOperation, FakeContract } from './fake-contract.js';

/** The operation of a request, and its path parameters. */
export interface FoundOperation {
  readonly operationId: string;
  readonly operation: ContractOperation;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds the operation of a request; a path without parameters goes before one with them. @returns null when the contract has no
 * such operation.
 */
export function findOperation(
  contract: FakeContract,
  method: string,
  pathname: string,
): FoundOperation | null {
  const asked = pathname.split('/');
  const found = Object.entries(contract).flatMap(([operationId, operation]) => {
    const parameters = operation.method === method ? match(operation.path.split('/'), asked) : null;
    return parameters === null ? [] : [{ operationId, operation, parameters }];
  });
  const parametersOf = ({ parameters }: FoundOperation) => Object.keys(parameters).length;
  return found.sort((one, other) => parametersOf(one) - parametersOf(other))[0] ?? null;
}

function match(wanted: readonly string[], asked: readonly string[]): Record<string, string> | null {
  if (wanted.length !== asked.length) return null;
  const parameters: Record<string, string> = {};
  for (const [at, segment] of wanted.entries()) {
    const given = asked[at]!;
    if (segment.startsWith('{')) parameters[segment.slice(1, -1)] = decodeURIComponent(given);
    else if (segment !== given) return null;
  }
  return parameters;
}
