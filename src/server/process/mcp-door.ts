import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import type { AnswerBeside } from '../../http/surface.js';

export interface McpDoorParts {
  /** The address of this server, to which the tools' calls go: they pass the same walls and checks as everybody's. */
  readonly url: string;
  /** This server's token. */
  readonly token: string;
  /** The largest body of a request, in bytes. */
  readonly limit: number;
  report(fault: string): void;
}

/** `/mcp`: the server for programs that speak MCP. Its part of the program is loaded by the first request. */
export class McpDoor {
  readonly #parts: McpDoorParts;
  readonly #stopped = new AbortController();
  #endpoint: Promise<AnswerBeside> | null = null;

  constructor(parts: McpDoorParts) {
    this.#parts = parts;
  }

  readonly answer: AnswerBeside = async (request, response) => {
    this.#endpoint ??= this.#open().catch((error: unknown) => {
      // The next request tries again.
      this.#endpoint = null;
      throw error;
    });
    await (await this.#endpoint)(request, response);
  };

  /** Ends the waits of all calls. The agents' work goes on. */
  stop(): void {
    this.#stopped.abort();
  }

  async #open(): Promise<AnswerBeside> {
    const { url, token, limit, report } = this.#parts;
    const { mcpEndpoint } = await import('../../protocols/mcp/mcp-http.js');
    const client = createHoumaoClient({ baseUrl: url, token });
    const backend = {
      client: () => Promise.resolve(client),
      stopped: this.#stopped.signal,
      explain: () => null,
      report,
    };
    return mcpEndpoint(backend, { limit, report });
  }
}
