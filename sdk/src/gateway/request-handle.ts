import { type AnswerOptions, awaitAnswer, type Looks } from './answer.js';

/** A queued request, by its id: it may have been submitted by another program, or long ago. */
export interface RequestHandle {
  readonly requestId: string;
  /**
   * Waits for the request to end, and its turn, and returns the agent's answer as `prompt` does; an answer that is there already comes
   * at once.
   *
   * Rejects with {@link PromptFailed} when its turn brought no answer, and with a {@link GatewayError} that carries the
   * `requestId` when the gateway does not know it, the limits ended the waiting, or the gateway was silent for a minute.
   */
  answer(options?: AnswerOptions): Promise<string>;
}

export const createRequestHandle =
  (looks: Looks) =>
  (requestId: string): RequestHandle => ({
    requestId,
    answer: (options = {}) => awaitAnswer(looks, requestId, options),
  });
