import { dirname, join, relative } from 'node:path';
import { componentsOf, ownFolderOf, read } from './read-beside.mjs';

/**
 * Gives every operation the responses of `components/shared-responses.yaml` that it does not declare itself, or, where the
 * surface has its own words for one (`<surface>/shared-responses.yaml`), that. A preprocessor, not a decorator: the linter
 * then checks what is added here too. A bundle has them already and stays as it is (openapi-typescript reads
 * `redocly.yaml` too).
 */
export const SharedResponses = () => {
  let added = {};
  return {
    Root: {
      enter(_document, { location }) {
        const from = (folder) => {
          const shared = read(join(folder, 'shared-responses.yaml')) ?? {};
          const placed = (responses) =>
            Object.fromEntries(
              Object.entries(responses ?? {}).map(([status, { $ref }]) => [status, join(folder, $ref)]),
            );
          return { every: placed(shared.everyOperation), withBody: placed(shared.operationsWithBody) };
        };
        const [common, own] = [from(componentsOf(location)), from(ownFolderOf(location))];
        added = {
          every: { ...common.every, ...own.every },
          withBody: { ...common.withBody, ...own.withBody },
        };
      },
    },
    Operation: {
      leave(operation, { location }) {
        const from = dirname(location.source.absoluteRef);
        const wanted = { ...added.every, ...(operation.requestBody && added.withBody) };
        for (const [status, file] of Object.entries(wanted))
          operation.responses[status] ??= { $ref: relative(from, file) };
      },
    },
  };
};
