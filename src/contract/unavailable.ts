/** What a handler throws when it cannot do its work now and later can. Its message goes to the caller, with 503. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
}
