import type { HandlerContext } from '../contract/handler-types.js';
import type { SurfaceRequest, SurfaceResponse } from './server/messages.js';

/**
 * What a handler is given. A class with a getter: V8 makes a hidden class for each object literal that has one, which
 * keeps the request alive until a full collection.
 */
export class RequestContext implements HandlerContext<unknown> {
  readonly path: Record<never, never>;
  readonly query: Record<never, never>;
  readonly headers: Record<never, never>;
  readonly body: undefined;
  readonly httpRequestId: string;
  readonly #response: SurfaceResponse;

  /** @param headers those that the contract declares, under its names. */
  constructor(request: SurfaceRequest, response: SurfaceResponse, headers: object) {
    this.path = request.params;
    this.query = request.query;
    this.headers = headers;
    this.body = request.body;
    this.httpRequestId = response.requestId;
    this.#response = response;
  }

  /** Few handlers wait for anything: it is made when one asks for it. */
  get signal(): AbortSignal {
    return this.#response.waitSignal;
  }
}
