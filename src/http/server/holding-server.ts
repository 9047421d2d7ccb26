import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { createSurfaceServer, type SurfaceServer } from './server.js';

/**
 * A server that can be bound before its handler exists: early requests wait for the handler. So a taken port is noticed
 * before anything is written.
 */
export class HoldingServer {
  readonly bound: SurfaceServer;
  #app: Express | null = null;
  readonly #held: (() => void)[] = [];

  constructor() {
    this.bound = createSurfaceServer((request: IncomingMessage, response: ServerResponse) => {
      if (this.#app) this.#app(request, response);
      else this.#held.push(() => this.#app?.(request, response));
    });
  }

  /** Hands waiting and all later requests to the handler. */
  answerWith(app: Express): void {
    this.bound.messages.adoptBy(app);
    this.#app = app;
    for (const answer of this.#held.splice(0)) answer();
  }
}
