import { dirname, join, relative } from 'node:path';
import { componentsOf, readBeside } from './read-beside.mjs';

/**
 * Gives every operation the responses of `components/shared-responses.yaml` that it does not declare itself. A
 * preprocessor, not a decorator: the linter then checks what is added here too. A bundle has them already and stays as
 * it is (openapi-typescript reads `redocly.yaml` too).
 */
export const SharedResponses = () => {
  let shared = null;
  let folder = '';
  return {
    Root: {
      enter(_document, { location }) {
        shared = readBeside(location, 'shared-responses.yaml');
        folder = componentsOf(location);
      },
    },
    Operation: {
      enter(operation, { location }) {
        const from = dirname(location.source.absoluteRef);
        const added = { ...shared?.everyOperation, ...(operation.requestBody && shared?.operationsWithBody) };
        for (const [status, { $ref }] of Object.entries(added))
          operation.responses[status] ??= { $ref: relative(from, join(folder, $ref)) };
      },
    },
  };
};
