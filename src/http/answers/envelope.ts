import { errorCodeHeader, wallCodeOf } from '../../contract/refusals.js';
import type { BrokenRule } from '../../contract/validation-items.js';
import type { SurfaceResponse } from '../server/server.js';

/** The words by which a surface's walls name the program that serves it. */
export interface SurfaceWords {
  /** The title of the docs page: `Houmao agent gateway`. */
  readonly title: string;
  /** The name of the program in its log lines and in the realm of its token: `houmao-gateway`. */
  readonly program: string;
  /** The program in a sentence, after "the" or "this": `gateway`. */
  readonly noun: string;
  /** The file of the token that callers from other machines need, in a sentence after "in". */
  readonly tokenFile: string;
  /** The flags by which the program admits more callers. */
  readonly flags: { readonly host: string; readonly origin: string; readonly user: string };
}

/** Sends an answer that belongs to no operation: it is not checked against the contract's response schemas. */
export function sendEnvelope(
  response: SurfaceResponse,
  status: number,
  detail: string | BrokenRule[],
  headers: Readonly<Record<string, string>> = {},
): void {
  if (typeof detail !== 'string') response.invalid = detail;
  const code = wallCodeOf(status, detail);
  const coded = code === null ? headers : { [errorCodeHeader]: code, ...headers };
  response.sendJson(status, JSON.stringify({ detail }), coded);
}

/** An answer that is decided before a handler runs. Its message goes to the caller. */
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
