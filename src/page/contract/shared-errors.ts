import { type ContractDocument, operationsOf, type Placed, resolved } from './contract-document.js';

/** An error that many operations answer alike. */
export interface SharedError {
  readonly status: string;
  /** Whether only operations with a body answer it. */
  readonly withBody: boolean;
  /** Its words for programs. */
  readonly codes: readonly string[];
  readonly description: string;
}

export const errorCodeHeader = 'X-Houmao-Error-Code';

/** The errors that every operation, or every operation with a body, answers in the very same way. */
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

const has = ({ operation }: Placed, status: string): boolean => operation.responses[status] !== undefined;

function first(all: readonly Placed[], status: string) {
  const response = all[0]?.operation.responses[status];
  if (!response) throw new Error(`No operation answers ${status}.`);
  return response;
}

/** The statuses of 400 and above that each of several operations answers in the same way. */
function alike(operations: readonly Placed[]): string[] {
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
