import type { RequestListener, Server } from 'node:http';
import type { Express } from 'express';
import { createHttpServer } from './server.js';

/**
 * A server that can be bound before there is anything to answer with: requests that come early wait for it. So a taken port
 * is noticed before anything is written.
 */
export class HoldingServer {
  readonly server: Server;
  #app: Express | null = null;
  readonly #held: (() => void)[] = [];

  constructor() {
    const listener: RequestListener = (request, response) => {
      if (this.#app) this.#app(request, response);
      else this.#held.push(() => this.#app?.(request, response));
    };
    this.server = createHttpServer(listener);
  }

  /** Answers what waits, and all that comes from now on. */
  answerWith(app: Express): void {
    this.#app = app;
    for (const answer of this.#held.splice(0)) answer();
  }
}
