/**
 * Thrown by a handler that cannot do its work now but may be able to later. Its message goes to the caller, with 503; with
 * 500 where the work may be done all the same, so that no client takes it for a refusal.
 */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
  readonly status: 500 | 503;
  constructor(message: string, status: 500 | 503 = 503) {
    super(message);
    this.status = status;
  }
}
