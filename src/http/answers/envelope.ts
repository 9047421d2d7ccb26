import { errorCodeHeader, wallCodeOf } from '../../contract/refusals.js';
import type { ValidationItem } from '../../contract/validation-items.js';
import type { SurfaceResponse } from '../server/messages.js';

/** How a surface's walls speak of the program that serves it. */
export interface SurfaceWords {
  /** Over the docs page: `Houmao agent gateway`. */
  readonly title: string;
  /** The program, as in its log lines and in the realm of its token: `houmao-gateway`. */
  readonly program: string;
  /** In a sentence, after "the" or "this": `gateway`. */
  readonly noun: string;
  /** In a sentence, after "in": the file of the token that callers from elsewhere need. */
  readonly tokenFile: string;
  /** The flags by which the program admits more callers. */
  readonly flags: { readonly host: string; readonly origin: string; readonly user: string };
}

/** Sends an answer that is not an operation's own: the contract's response schemas are not asked about it. */
export function sendEnvelope(
  response: SurfaceResponse,
  status: number,
  detail: string | ValidationItem[],
  headers: Readonly<Record<string, string>> = {},
): void {
  if (typeof detail !== 'string') response.invalid = detail;
  const code = wallCodeOf(status, detail);
  const coded = code === null ? headers : { ...headers, [errorCodeHeader]: code };
  response.sendJson(status, JSON.stringify({ detail }), coded);
}

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
