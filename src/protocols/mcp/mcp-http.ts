import { type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type McpBackend, mcpServer } from './mcp-server.js';

/**
 * Makes the endpoint for MCP over streamable HTTP: the stateless revision of 2026-07-28, and the revisions before it, each of whose
 * requests is answered by itself, without a session.
 * @param limit the largest body of a request, in bytes.
 * @param report receives each internal fault.
 */
export function mcpEndpoint(
  backend: McpBackend,
  { limit, report }: { limit: number; report(fault: string): void },
): NodeMcpRequestHandler {
  const onerror = (error: Error): void => report(`MCP: ${error.message}`);
  const handler = createMcpHandler(() => mcpServer(backend), { maxRequestBodySize: limit });
  return toNodeHandler(handler, { maxRequestBodySize: limit, onerror });
}
