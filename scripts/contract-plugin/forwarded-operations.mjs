import { dirname, join, relative } from 'node:path';

const forwardsKey = 'x-houmao-forwards';
const responsesKey = 'x-houmao-forwarded-responses';

/** Has Redocly resolve and walk what {@link ForwardedOperations} copies. */
export const forwardedTypes = {
  oas3: (types) => ({
    ...types,
    Root: { ...types.Root, properties: { ...types.Root.properties, [responsesKey]: 'Responses' } },
    Operation: {
      ...types.Operation,
      properties: { ...types.Operation.properties, [forwardsKey]: 'Operation' },
    },
  }),
};

/**
 * Completes an operation that the server forwards to a gateway (`x-houmao-forwards: { $ref }`) from the gateway's own: summary,
 * retry policy, parameters, body and success, with links to the operations of the server. Refusals are those that the server's document
 * has for all of them (`x-houmao-forwarded-responses`). What the operation writes itself stays. The paths of both surfaces stand in
 * folders side by side, so the references of one lead to the same files from the other. A preprocessor, as `SharedResponses` is.
 */
export const ForwardedOperations = () => {
  let folder = '';
  let refusals = {};
  /** The operations of the server by those of a gateway. */
  const forwarded = new Map();
  /** Links that were copied, and still name operations of a gateway. */
  const copiedLinks = [];
  return {
    Root: {
      enter(document, { location }) {
        folder = dirname(location.source.absoluteRef);
        refusals = document[responsesKey] ?? {};
      },
      leave(document) {
        delete document[responsesKey];
        for (const link of copiedLinks) {
          if (!forwarded.has(link.operationId))
            throw new Error(
              `a forwarded answer links to ${link.operationId}, which no operation of the server forwards`,
            );
          link.operationId = forwarded.get(link.operationId);
          link.parameters = { agent_ref: '$request.path.agent_ref', ...link.parameters };
        }
      },
    },
    Operation: {
      leave(operation, { location, resolve }) {
        if (operation[forwardsKey] === undefined) return;
        const own = structuredClone(resolve(operation[forwardsKey]).node);
        forwarded.set(own.operationId, operation.operationId);
        const success = own.responses['200'] ?? own.responses['202'];
        copiedLinks.push(...Object.values(success.links ?? {}));
        const from = dirname(location.source.absoluteRef);
        const refusal = ({ $ref }) => ({ $ref: relative(from, join(folder, $ref)) });
        const {
          operationId,
          tags,
          summary,
          description,
          parameters = [],
          responses,
          [forwardsKey]: _,
          ...rest
        } = operation;
        for (const name of Object.keys(operation)) delete operation[name];
        Object.assign(operation, {
          operationId,
          'x-houmao-retry': own['x-houmao-retry'],
          ...rest,
          'x-houmao-gateway-operation': own.operationId,
          tags,
          summary: summary ?? own.summary,
          description,
          parameters: [
            { $ref: '../components/parameters.yaml#/AgentRef' },
            ...(own.parameters ?? []),
            ...parameters,
          ],
          ...(own.requestBody && { requestBody: own.requestBody }),
          responses: {
            200: success,
            ...Object.fromEntries(Object.entries(refusals).map(([status, one]) => [status, refusal(one)])),
            ...responses,
          },
        });
      },
    },
  };
};
