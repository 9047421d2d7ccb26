import { anchorOf, type ContractDocument, type ContractResponse, operationsOf } from './contract-document.js';

/**
 * What an answer leads to, in its text: Swagger UI has a column for that, which names operations and leads to none.
 * @returns the answer with that text, and without its links; an answer without links as it is.
 */
export function tellLinks(document: ContractDocument): (response: ContractResponse) => ContractResponse {
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
