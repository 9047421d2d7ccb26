/** The whole answer to a call, for details that its body does not have. */
export interface WithResponse<Body> {
  readonly data: Body;
  readonly response: { readonly status: number; readonly headers: Headers };
  /** The answer's `X-Request-Id`, under which the server logs it; null from a server that gives none. */
  readonly httpRequestId: string | null;
}

/** The return value of a method; awaited, it is the body of the success. */
export interface CallPromise<Body> extends Promise<Body> {
  /**
   * The same call, awaited with status and headers. Rejects as the promise itself does.
   *
   * @example
   * ```ts
   * const { data, httpRequestId } = await client.getStatus().withResponse();
   * ```
   */
  withResponse(): Promise<WithResponse<Body>>;
}

export function callPromise<Body>(answer: Promise<{ data: Body; response: Response }>): CallPromise<Body> {
  const body = answer.then(({ data }) => data);
  const withResponse = async () => {
    // The caller of `withResponse` gets the failure from there, so the other promise must not report it as unhandled.
    body.catch(() => undefined);
    const { data, response } = await answer;
    const { status, headers } = response;
    return { data, response: { status, headers }, httpRequestId: headers.get('X-Request-Id') };
  };
  return Object.assign(body, { withResponse });
}
