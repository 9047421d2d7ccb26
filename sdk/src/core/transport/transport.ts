/** The way requests are sent, which differs between Node and a browser. */
export interface Transport {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The class of requests that this `fetch` accepts. */
  readonly Request: typeof Request;
}
