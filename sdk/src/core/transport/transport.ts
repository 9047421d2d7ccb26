/** How requests leave: what differs between Node and a browser. */
export interface Transport {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The class that this `fetch` understands. */
  readonly Request: typeof Request;
}
