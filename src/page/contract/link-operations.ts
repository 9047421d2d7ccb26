import { anchorOf, type ContractDocument, operationsOf } from './contract-document.js';

/** Makes a link of each operation that a text mentions as `` `GET /path` ``, whatever query stands behind it. */
export function linkOperations(document: ContractDocument): (text: string) => string {
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
