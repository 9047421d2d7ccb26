import { GatewayError } from './gateway-error.js';
import { pause, type Stop, timeoutOf, withinLimits } from './limits.js';
import type { OperationMethods, Schemas } from './operation.js';
import { PromptFailed } from './prompt-failed.js';
import { isLost } from './submit-request.js';

type RequestRecord = Schemas['RequestRecord'];

/** What can be said about a prompt beside its text. */
export interface PromptOptions {
  /** Name of the turn and of its folder of artifacts; the gateway makes one up without it. */
  turnId?: string | undefined;
  /** Which conversation with the agent it continues; the gateway's default is `{ mode: 'auto' }`. */
  chatSession?: Schemas['ChatSessionSelector'] | undefined;
  /** Model and reasoning level for this prompt alone. */
  execution?: Schemas['ExecutionOverride'] | undefined;
  /** Stops waiting. The prompt stays queued or goes on; `cancelRequest` takes a waiting one back. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for all of it, the agent's work included. Default: no limit, for agents work for hours. */
  timeoutMs?: number | undefined;
  /** Is told the request as it stands: once it is queued, then about every two seconds, and when it has ended. */
  onUpdate?: ((record: RequestRecord) => void) | undefined;
}

/**
 * Queues a prompt, waits for its turn to end, and returns the agent's answer as text: empty when the agent said nothing,
 * and cut at 1 MiB. Lost connections are borne while waiting, a restart of the gateway included.
 *
 * Rejects with {@link PromptFailed} when the turn brought no answer, and with {@link GatewayError} when the prompt was
 * refused, the limits ended the waiting, or the gateway was silent for a minute.
 *
 * @example
 * ```ts
 * const answer = await client.prompt('Which tests fail, and why?', {
 *   onUpdate: ({ state, queue_position }) => console.log(state, queue_position),
 * });
 * ```
 */
export type Prompt = (text: string, options?: PromptOptions) => Promise<string>;

const LONG_WAIT_SECONDS = 30;
const WATCHED_WAIT_SECONDS = 2;
/** Keeps a gateway that answers early, as it does while it stops, from being asked without end. */
const BETWEEN_LOOKS_MS = 50;
const AFTER_LOST_LOOK_MS = 500;
const SILENCE_MS = 60_000;

const FINAL: ReadonlySet<RequestRecord['state']> = new Set(['completed', 'failed', 'coalesced', 'cancelled']);

export function createPrompt(methods: Pick<OperationMethods, 'submitRequest' | 'getRequest'>): Prompt {
  return async (text, options = {}) => {
    const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
    let requestId: string | undefined;
    const stopped = (stop: Stop) =>
      new GatewayError({
        status: null,
        errorCode: stop.kind,
        detail: `${whyStopped(stop, timeoutMs)} ${whatBecomes(requestId)}`,
        operationId: requestId === undefined ? 'submitRequest' : 'getRequest',
        cause: stop.kind === 'aborted' ? stop.reason : undefined,
      });
    const work = async (signal: AbortSignal) => {
      const body = { kind: 'submit_prompt' as const, payload: payloadOf(text, options) };
      requestId = (await methods.submitRequest({ body, signal })).request_id;
      return answerOf(await finalRecord(methods.getRequest, requestId, options.onUpdate, signal));
    };
    return withinLimits({ timeoutMs, signal: options.signal }, work, stopped);
  };
}

function payloadOf(prompt: string, { turnId, chatSession, execution }: PromptOptions) {
  return {
    prompt,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    ...(chatSession === undefined ? {} : { chat_session: chatSession }),
    ...(execution === undefined ? {} : { execution }),
  };
}

async function finalRecord(
  getRequest: OperationMethods['getRequest'],
  requestId: string,
  onUpdate: PromptOptions['onUpdate'],
  signal: AbortSignal,
): Promise<RequestRecord> {
  let waitSeconds = onUpdate ? 0 : LONG_WAIT_SECONDS;
  let silentSince: number | undefined;
  for (;;) {
    const askedAt = performance.now();
    const options = { path: { request_id: requestId }, query: { wait_seconds: waitSeconds }, signal };
    const record = await getRequest(options).catch((error: unknown) => {
      silentSince ??= askedAt;
      if (!isLost(error) || performance.now() - silentSince > SILENCE_MS) throw error;
      return null;
    });
    if (record) {
      silentSince = undefined;
      onUpdate?.(record);
      if (FINAL.has(record.state)) return record;
      waitSeconds = onUpdate ? WATCHED_WAIT_SECONDS : LONG_WAIT_SECONDS;
    }
    await pause(record ? BETWEEN_LOOKS_MS : AFTER_LOST_LOOK_MS, signal);
  }
}

function answerOf(record: RequestRecord): string {
  if (record.state !== 'completed') throw new PromptFailed(record);
  return record.turn?.answer?.text ?? '';
}

function whyStopped(stop: Stop, timeoutMs: number): string {
  return stop.kind === 'timeout' ? `No answer within ${timeoutMs} ms.` : 'The caller stopped waiting.';
}

function whatBecomes(requestId: string | undefined): string {
  return requestId === undefined
    ? 'Whether the prompt was queued is not known.'
    : `Request ${requestId} goes on without it.`;
}
