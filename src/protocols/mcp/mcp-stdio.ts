import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type McpBackend, mcpServer } from './mcp-server.js';

/**
 * Serves MCP over standard input and output until the client closes its end, or `stopped` of the backend fires. Standard output belongs
 * to the protocol: nothing else may be written there.
 */
export async function serveMcpOverStdio(backend: McpBackend, input: NodeJS.ReadableStream): Promise<void> {
  const handle = serveStdio(() => mcpServer(backend));
  await new Promise<void>((over) => {
    input.once('close', () => over());
    input.once('end', () => over());
    backend.stopped.addEventListener('abort', () => over(), { once: true });
  });
  await handle.close();
}
