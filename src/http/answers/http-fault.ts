/** An answer decided before a handler ran. Its message goes to the caller. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
