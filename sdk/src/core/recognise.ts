import type { CallError, CallErrorFields } from './call-error.js';
import type { Send } from './connection.js';
import type { CallLimits } from './operation.js';
import { excerpt } from './refusal.js';
import type { AnySurface } from './surface.js';

/** Finds out who answers, where an answer does not look like one of the surface's own. */
export interface Recogniser {
  /** The same failure, or, where it is that of a foreign server, one that names it. */
  failure<Failure>(error: Failure, limits: CallLimits): Promise<Failure | CallError>;
  /** The failure where a success is that of a foreign server; null where it is the surface's own, or nobody can tell. */
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

/** Servers of Houmao give every answer such an id; an older one that does not is asked once for its health. */
const hasOurId = (id: string | null): boolean => id?.startsWith('http-') ?? false;

/** What is wrong with an address below which a server of Houmao has nothing; null for one without a path. */
function misplacedIn(baseUrl: string): Finding | null {
  const { origin, pathname } = new URL(baseUrl);
  if (pathname === '/') return null;
  const detail = `A server of Houmao answers there, and has nothing below ${pathname}: try ${origin} as baseUrl.`;
  return { errorCode: 'not_found', detail };
}

/** What is wrong with the server, or with its address. */
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
  /** Whose health it is. One that does not say so is a stranger's, except in an answer of ours. */
  const inHealth = (data: unknown, isOurs: boolean): Finding | null => {
    const who = foreign(data);
    isKnown ||= who === null;
    if (who) return other(who);
    return isKnown || isOurs ? null : stranger(data);
  };

  /** What is wrong with whoever answers there; null where nothing is, or nobody says. */
  async function whoElse({ signal }: CallLimits): Promise<Finding | null> {
    const seen = await send({ ...probe, signal, timeoutMs: probeMs, maxRetries: 0 }).catch(
      (error: CallError) => error,
    );
    if (!('response' in seen)) return seen.errorCode === 'invalid_answer' ? stranger('no JSON') : null;
    const { response, data, error } = seen;
    if (response.ok) return inHealth(data, false);
    // A fault, a missing token and a limit of what stands between say nothing of who it is.
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
      return new Failure({ ...error, cause: error.cause, ...found, detail });
    },
    async success(operationId, { data, response }, limits) {
      const httpRequestId = response.headers.get('X-Request-Id');
      const isOurs = isKnown || hasOurId(httpRequestId);
      const isHealth = operationId === probe.operationId;
      if (isOurs && !isHealth) {
        // Paths of the other surface are not found here: this is the right one.
        isKnown = true;
        return null;
      }
      const found = isHealth ? inHealth(data, isOurs) : await whoElse(limits);
      const { status } = response;
      return found && new Failure({ ...found, status, httpRequestId, operationId });
    },
  };
}

/** Whether an answer may be that of a foreign server: what stands between has its 5xx, and a server its own paths. */
function isStrange({ status, errorCode, httpRequestId }: CallError): boolean {
  // One more call does not help where there are too many.
  if (status === null || status >= 500 || status === 429) return false;
  return errorCode === 'invalid_answer' || errorCode === 'not_found' || !hasOurId(httpRequestId);
}
