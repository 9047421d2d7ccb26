import document from '../../../generated/managed-agent/openapi.json' with { type: 'json' };

// biome-ignore lint/suspicious/noExplicitAny: a part of a document has any shape.
type Part = any;

/** An operation of the server that needs the gateway or the mailbox of an agent. */
export interface PassedOperation {
  readonly operationId: string;
  readonly method: string;
  /** Below the agent, with the examples of its other parameters filled in. */
  readonly path: string;
  /** The contract's own example; undefined where it takes none. */
  readonly body: unknown;
  readonly mail: boolean;
}

const agentPath = '/houmao/agents/{agent_ref}';

/** Every operation below `/gateway` and `/mail`. */
export const passedOperations: readonly PassedOperation[] = Object.entries<Part>(document.paths)
  .filter(([path]) => path.startsWith(`${agentPath}/gateway`) || path.startsWith(`${agentPath}/mail/`))
  // A call of gateways to the server is no call to a gateway.
  .filter(([path]) => !path.includes('/internal/'))
  .flatMap(([path, methods]) =>
    Object.entries<Part>(methods).map(([method, part]) => ({
      operationId: part.operationId as string,
      method: method.toUpperCase(),
      path: filled(path.slice(agentPath.length), part),
      body: exampleOf(part.requestBody),
      mail: path.startsWith(`${agentPath}/mail/`),
    })),
  );

function filled(path: string, part: Part): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const parameter = (part.parameters as Part[]).map(resolved).find((one) => one.name === name);
    return parameter.example as string;
  });
}

function resolved(part: Part): Part {
  if (typeof part.$ref !== 'string') return part;
  return part.$ref
    .slice(2)
    .split('/')
    .reduce((at: Part, key: string) => at[key], document as Part);
}

function exampleOf(body: Part): unknown {
  const media = body?.content['application/json'];
  return media && (media.example ?? Object.values<Part>(media.examples)[0].value);
}
