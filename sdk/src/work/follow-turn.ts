import type { CallLimits } from '../core/operation.js';
import type { components } from '../generated/gateway/types/client.js';
import { awaitNext } from './await-end.js';
import type { WorkRequest } from './end-of-work.js';
import type { Silence } from './silence.js';
import type { TurnQueue } from './turn-work.js';
import { WorkError, type WorkErrors } from './work-error.js';

type TurnPart = components['schemas']['TurnPart'];
type TurnPartPage = components['schemas']['TurnPartPage'];

/** The parts to stream, and the callback for silences. */
export interface StreamOptions {
  /** The first part is the one behind this `id`. Default: the first of the turn. */
  after?: string | undefined;
  /** Ends the stream: the loop ends without an error. The turn continues. */
  signal?: AbortSignal | undefined;
  /**
   * The milliseconds without any answer after which the stream ends with `connection_failed`. Each answer starts the time
   * again. Default: no limit, since a gateway that is away may come back, and the turn is not lost with it.
   */
  silenceMs?: number | undefined;
  /** Called during a silence, every two seconds or less often. */
  onSilence?: ((silence: Silence) => void) | undefined;
}

/** The type of `stream` of a handle; `TurnStreaming` describes it. */
export type StreamTurn = (options?: StreamOptions) => AsyncGenerator<TurnPart, void, undefined>;

/** The part of every handle that follows its turn. */
export interface TurnStreaming {
  /**
   * Streams the turn while it runs, and again after its end: text as the agent writes it, the tools it uses, questions to a
   * person, usage, how far the delivery got, and `ended` with the record of the turn, which is the last part of every turn, however
   * it ended. No part is missed or repeated, across lost connections and restarts; parts that could not be stored are a `gap`. A
   * prompt that waits in the queue is awaited first.
   *
   * A newer gateway may have kinds that the types do not name: ignore them.
   *
   * @param options -
   * - `after`: the `id` of the last part that you have. Default: from the first part of the turn.
   * - `signal`, `silenceMs`: the ends of the stream; the turn continues. Default: none.
   * - `onSilence`: called during a silence.
   *
   * @throws `PromptFailed` (`TurnFailed` at a turn of an agent) when the prompt left the queue and never had a turn.
   * @throws `GatewayError` (`HoumaoError` through the server) with the ids, when the turn is not known, or after `silenceMs`
   *   without an answer.
   *
   * @example
   * ```ts
   * for await (const part of handle.stream()) {
   *   if (part.kind === 'text') process.stdout.write(part.data.text);
   *   if (part.kind === 'ended') console.log(part.data.outcome);
   * }
   * ```
   */
  readonly stream: StreamTurn;
}

/** Reads the parts behind `after`; resolves as soon as there is one, or after `wait_seconds`. */
export type ReadParts = (
  call: CallLimits & { path: { turn_id: string }; query: { after?: string; wait_seconds: number } },
) => Promise<TurnPartPage>;

/** A turn to follow, and the queue where its prompt may wait before it begins; null when the turn has begun. */
export interface TurnToStream {
  readonly turnId: string;
  readonly requestId: string | null;
  readonly queue: Pick<TurnQueue, 'look' | 'check'> | null;
}

/** @throws WorkError with the ids, when the server does not know the turn, or `silenceMs` ended the stream. */
export async function* followTurn(
  { server }: Pick<WorkErrors, 'server'>,
  read: ReadParts,
  turn: TurnToStream,
  options: StreamOptions,
): AsyncGenerator<TurnPart, void, undefined> {
  const { silenceMs, onSilence, signal = new AbortController().signal } = options;
  const ids = { turnId: turn.turnId, requestId: turn.requestId };
  let after = options.after;
  const work = {
    server,
    isFollowed: false,
    look: (waitSeconds: number, stop: AbortSignal) =>
      read({
        path: { turn_id: turn.turnId },
        query: { ...(after !== undefined && { after }), wait_seconds: waitSeconds },
        signal: stop,
        maxRetries: 0,
      }).catch((error: unknown) => beforeBegin(turn, ids, error, waitSeconds, stop)),
    // A page without parts behind the end of the turn stays empty.
    seen: (page: TurnPartPage | 'queued') => page !== 'queued' && (page.parts.length > 0 || isEnd(after)),
    silent: (silence: Silence) => onSilence?.(silence),
    becomes: () =>
      `The turn goes on; stream it again${after === undefined ? '' : ` with after: '${after}'`}.`,
  } as const;
  while (!signal.aborted) {
    const page = await awaitNext<TurnPartPage | 'queued'>(work, { silenceMs, signal }, ids);
    if (page === null) return;
    if (page === 'queued') continue;
    for (const part of page.parts) {
      yield part;
      if (signal.aborted || part.kind === 'ended') return;
    }
    if (page.parts.length === 0) return;
    after = page.next_after;
  }
}

const isEnd = (after: string | undefined): boolean => after?.endsWith('.9') === true;

/** Waits for a prompt that is still in the queue. @throws the error of the call, or the end of a request without a turn. */
async function beforeBegin(
  { queue }: TurnToStream,
  ids: { requestId: string | null },
  error: unknown,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<'queued'> {
  if (queue === null || !(error instanceof WorkError) || error.status !== 404) throw error;
  ids.requestId ??= error.requestId;
  if (ids.requestId === null) throw error;
  const request: WorkRequest = await queue.look(ids.requestId, waitSeconds, signal);
  if (!request.turn) queue.check(request);
  return 'queued';
}

type GetStarted = (
  call: CallLimits & {
    path: { request_id: string };
    query: { wait_seconds: number; wait_until: 'started' };
  },
) => Promise<WorkRequest>;

/** Waits for the turn of a request. @returns null when the signal fired first. @throws the end of a request without a turn. */
export async function turnOf(
  { getRequest }: { readonly getRequest: GetStarted },
  { server, promptFailed }: Pick<WorkErrors, 'server' | 'promptFailed'>,
  requestId: string,
  { silenceMs, onSilence, signal = new AbortController().signal }: StreamOptions,
): Promise<string | null> {
  const work = {
    server,
    isFollowed: false,
    look: (waitSeconds: number, stop: AbortSignal) =>
      getRequest({
        path: { request_id: requestId },
        query: { wait_seconds: waitSeconds, wait_until: 'started' },
        signal: stop,
        maxRetries: 0,
      }),
    seen: ({ state, turn }: WorkRequest) => turn !== null || (state !== 'accepted' && state !== 'running'),
    silent: (silence: Silence) => onSilence?.(silence),
    becomes: () => `Request ${requestId} goes on; stream it again.`,
  } as const;
  const request = await awaitNext(work, { silenceMs, signal }, { requestId });
  if (request !== null && request.turn === null) throw promptFailed(request);
  return request?.turn?.turn_id ?? null;
}
