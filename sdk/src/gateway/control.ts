import type { Doors } from '../core/doors.js';
import type { CallLimits } from '../core/operation.js';
import { refusal } from '../core/refusal.js';
import type { AnySurface } from '../core/surface.js';
import type { paths } from '../generated/gateway/client.js';
import { isLost } from '../work/repeat-when-lost.js';
import { amended } from '../work/work-error.js';
import type { OperationMethods, Schemas } from './contract.js';
import { GatewayError, isGatewayError } from './gateway-error.js';
import { type TurnHandle, turnHandle } from './turn-handle.js';

/** What can be said about a direct prompt beside its text; the limits are those of handing it over, not of its turn. */
export interface ControlOptions extends CallLimits {
  /** Which conversation with the agent it continues; the gateway's default is `{ mode: 'auto' }`. */
  chatSession?: Schemas['ChatSessionSelector'] | undefined;
  /** Model and reasoning level for this prompt alone. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /** Ends the turn that runs, and goes before what is queued. Default: false, which refuses the prompt then. */
  force?: boolean | undefined;
}

/**
 * Hands a prompt to the agent at once, or is refused at once: it never waits in the queue. Returns a handle of the turn
 * that has begun.
 *
 * Rejects with {@link GatewayError}, whose `errorCode` is the gateway's word for the refusal (`not_ready`, …). Where the
 * answer was lost, `detail` says that the prompt may have gone in: it is not repeated.
 *
 * @example
 * ```ts
 * const turn = await client.control('Stop, and say where you are.', { force: true });
 * console.log(turn.turnId, await turn.answer());
 * ```
 */
export type Control = (text: string, options?: ControlOptions) => Promise<TurnHandle>;

const operationId = 'controlPrompt';

export function createControl(
  surface: AnySurface,
  client: Pick<Doors<paths>, 'POST'> & Pick<OperationMethods, 'getTurn'>,
): Control {
  return async (prompt, { chatSession, execution, force, signal, timeoutMs } = {}) => {
    const body = {
      prompt,
      ...(chatSession === undefined ? {} : { chat_session: chatSession }),
      ...(execution === undefined ? {} : { execution }),
      ...(force === undefined ? {} : { force }),
    };
    const limits = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
    const { error, response } = await client
      .POST('/v1/control/prompt', { body, ...limits })
      .catch((reason: unknown) => {
        throw isGatewayError(reason) ? unsure(reason) : reason;
      });
    if (!response.ok) throw refusal(surface, operationId, response, error);
    const turnId = response.headers.get('X-Houmao-Turn-Id');
    if (turnId !== null) return turnHandle(client, turnId, true);
    throw new GatewayError({
      ...{ status: response.status, operationId, errorCode: 'invalid_answer' },
      detail: 'The gateway took the prompt and named no turn, so its answer cannot be waited for.',
      httpRequestId: response.headers.get('X-Request-Id'),
    });
  };
}

/** A prompt that was on its way when its answer was lost may have reached the agent. */
function unsure(error: GatewayError): GatewayError {
  if (!error.sent || !(isLost(error) || ['aborted', 'invalid_answer'].includes(error.errorCode)))
    return error;
  const detail = `${error.detail} Whether the prompt reached the agent is not known; the latest turns are among the gateway's events.`;
  return amended(error, { detail });
}
