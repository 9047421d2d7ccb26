import type { CallError, CallErrorFields } from './call-error.js';
import type { Send } from './connection.js';
import type { CallLimits } from './operation.js';
import { excerpt } from './refusal.js';
import type { AnySurface } from './surface.js';

/** Determines which server answers, when an answer does not look like one of the surface's own. */
export interface Recogniser {
  /** Returns the same failure, or one that names the foreign server it came from. */
  failure<Failure>(error: Failure, limits: CallLimits): Promise<Failure | CallError>;
  /** Returns a failure when a success came from a foreign server; null when it is the surface's own, or the server is unknown. */
  success(
    operationId: string,
    answer: { data: unknown; response: Response },
    limits: CallLimits,
  ): Promise<CallError | null>;
}

const probe = {
  operationId: 'getHealth',
  method: 'GET',
  path: '/health',
  init: {},
  makesKey: false,
} as const;
const probeMs = 2000;

/** Returns whether an answer has an id of a Houmao server. An older server gives none and is asked once for its health. */
const hasOurId = (id: string | null): boolean => id?.startsWith('http-') ?? false;

/** Returns the error for an address with a path, below which a Houmao server has nothing; null for an address without a path. */
function misplacedIn(baseUrl: string): Finding | null {
  const { origin, pathname } = new URL(baseUrl);
  if (pathname === '/') return null;
  const detail = `A server of Houmao answers there, and has nothing below ${pathname}: try ${origin} as baseUrl.`;
  return { errorCode: 'not_found', detail };
}

/** An error of the server, or of its address. */
type Finding = Pick<CallErrorFields, 'errorCode' | 'detail'>;

export function recogniser(surface: AnySurface, send: Send, baseUrl: string): Recogniser {
  const { Failure, servedBy, foreign } = surface;
  let isKnown = false;
  const other = (what: string): Finding => ({
    errorCode: 'foreign_server',
    detail: `${baseUrl} is not a ${servedBy}: ${what}.`,
  });
  const stranger = (health: unknown) => other(`its GET /health answers ${excerpt(health)}`);
  const misplaced = misplacedIn(baseUrl);
  /** Returns the error that a health answer shows. A health without a known name is foreign, except in an answer of ours. */
  const inHealth = (data: unknown, isOurs: boolean): Finding | null => {
    const who = foreign(data);
    isKnown ||= who === null;
    if (who) return other(who);
    return isKnown || isOurs ? null : stranger(data);
  };

  /** Asks which server answers at the address; null when it is the right one, or unknown. */
  async function whoElse({ signal }: CallLimits): Promise<Finding | null> {
    const seen = await send({ ...probe, signal, timeoutMs: probeMs, maxRetries: 0 }).catch(
      (error: CallError) => error,
    );
    if (!('response' in seen)) return seen.errorCode === 'invalid_answer' ? stranger('no JSON') : null;
    const { response, data, error } = seen;
    if (response.ok) return inHealth(data, false);
    // A fault, a missing token and the limit of a proxy do not show which server it is.
    const { status, headers } = response;
    if (status >= 500 || [401, 403, 407, 429].includes(status)) return null;
    if (hasOurId(headers.get('X-Request-Id'))) return misplaced;
    return stranger(`${status} ${excerpt(error)}`);
  }

  return {
    async failure(error, limits) {
      if (!(error instanceof Failure) || !isStrange(error) || isKnown) return error;
      const found = await whoElse(limits);
      if (found === null) return error;
      const detail = `${found.detail} ${error.detail}`;
      return new Failure({ ...error, cause: error.cause, headers: error.headers, ...found, detail });
    },
    async success(operationId, { data, response }, limits) {
      const httpRequestId = response.headers.get('X-Request-Id');
      const isOurs = isKnown || hasOurId(httpRequestId);
      const isHealth = operationId === probe.operationId;
      if (isOurs && !isHealth) {
        // An answer to one of this surface's paths proves the server, since the other surface does not have them.
        isKnown = true;
        return null;
      }
      const found = isHealth ? inHealth(data, isOurs) : await whoElse(limits);
      const { status } = response;
      return found && new Failure({ ...found, status, httpRequestId, operationId });
    },
  };
}

/**
 * Decides whether an answer may be that of a foreign server. A 5xx may come from a proxy in between and proves nothing; a
 * foreign server answers with its own paths.
 */
function isStrange({ status, errorCode, httpRequestId }: CallError): boolean {
  // After a 429, one more call would not help.
  if (status === null || status >= 500 || status === 429) return false;
  return errorCode === 'invalid_answer' || errorCode === 'not_found' || !hasOurId(httpRequestId);
}
