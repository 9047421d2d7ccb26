import { type AgentGateway, type HoumaoError, isHoumaoError, type Schemas } from '@houmao/sdk/managed-agent';
import type { Clock } from '../../../foundation/clock.js';
import { durationWords } from '../../flags/options.js';
import { exitCodes } from '../../words/command-failure.js';
import type { ProgressDisplay } from '../../words/following.js';
import { reasonWords } from '../../words/obstacle-words.js';
import { waitFailure, waysBack, withWays } from '../../words/waiting-failure.js';

type RequestRecord = Schemas['RequestRecord'];

/** A request whose progress is followed through a server. */
export interface AskedRequest {
  readonly name: string;
  readonly id: string;
  /** The flag that leads back to the server. */
  readonly server: string;
  readonly limits: { readonly timeoutMs: number | undefined; readonly silenceMs: number };
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

const lookSeconds = 2;
const afterLostLookMs = 500;

/**
 * Returns the request when it has a turn, or has ended without one. A silent server is tolerated up to the limit.
 *
 * @throws {CommandFailure} when a limit ended the waiting, with the commands that lead back.
 */
export async function whenBegun(
  { getRequest }: Pick<AgentGateway, 'getRequest'>,
  { name, id, server, limits, signal, clock }: AskedRequest,
  following: ProgressDisplay,
): Promise<RequestRecord> {
  const began = clock.monotonic();
  const waiting = { requestId: id, runningTurn: null };
  let silentSince: number | null = null;
  let last: RequestRecord | null = null;
  for (;;) {
    const look = await lookOnce();
    if ('record' in look) {
      silentSince = null;
      const { state, turn } = look.record;
      if (turn !== null || (state !== 'accepted' && state !== 'running')) return look.record;
      following.onRequest(look.record, null);
      last = look.record;
    } else {
      silentSince ??= clock.monotonic();
      const forMs = clock.monotonic() - silentSince;
      if (forMs > limits.silenceMs) throw waitFailure(look.lost, waiting, name, server);
      following.onSilence({ forMs });
      await clock.sleep(afterLostLookMs, signal);
    }
    if (signal.aborted) throw left('Stopped waiting.', 'aborted');
    if (clock.monotonic() - began > (limits.timeoutMs ?? Number.POSITIVE_INFINITY))
      throw left(`No answer within ${durationWords((limits.timeoutMs ?? 0) / 1000)}.`, 'timeout');
  }

  async function lookOnce(): Promise<{ record: RequestRecord } | { lost: HoumaoError }> {
    try {
      return {
        record: await getRequest({ path: { request_id: id }, query: { wait_seconds: lookSeconds }, signal }),
      };
    } catch (error) {
      if (signal.aborted) throw left('Stopped waiting.', 'aborted');
      if (!isHoumaoError(error)) throw error;
      if (error.status !== null && error.status < 500) throw waitFailure(error, waiting, name, server);
      return { lost: error };
    }
  }

  function left(why: string, errorCode: 'aborted' | 'timeout') {
    const becomes = silentSince === null ? standing() : `The state of request ${id} is not known.`;
    const exitCode = errorCode === 'aborted' ? exitCodes.stopped : exitCodes.outcomeUnknown;
    const fields = { errorCode, requestId: id };
    return withWays(`${why} ${becomes}`, waysBack(waiting, name, server), exitCode, fields);
  }

  /** Describes the request at the last check, a moment ago. */
  function standing(): string {
    if (last === null) return `The state of request ${id} is not known.`;
    if (last.state === 'running') return `Request ${id} goes on.`;
    const reason = last.waiting_reason;
    return `Request ${id} is queued${reason ? `: ${reasonWords(reason, name, server)}` : '.'}`;
  }
}
