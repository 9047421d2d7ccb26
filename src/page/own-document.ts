import { type JsonObject, partOf } from '../contract/document/document-parts.js';
import { browser, type MakePlugin } from './swagger.js';

/**
 * Has Swagger UI take the document as it is, where it would read it again as YAML, and resolve the references of an operation
 * in the part of the document that it leads to, and not in all of it.
 */
export const ownDocument =
  (document: object): MakePlugin =>
  (system) => {
    const { resolveSubtree } = browser.SwaggerUIBundle.plugins.SwaggerClient(system).fn;
    return {
      statePlugins: {
        spec: {
          wrapActions: {
            parseToJson:
              (_original, { specActions }) =>
              () =>
                specActions.updateJsonSpec(document),
          },
        },
      },
      fn: {
        resolveSubtree: (whole: JsonObject, path: readonly string[], options: unknown) =>
          resolveSubtree(partOf(whole, path), path, options),
      },
    };
  };
