import { type GatewayError, PromptFailed } from '@houmao/sdk';
import { callFailure, callFields } from './call-failure.js';
import { CommandFailure, type ExitCode, exitCodes, type FailureFields } from './command-failure.js';
import { table } from './terminal-output.js';

/**
 * What an operator has to know when a prompt brought no answer: whether it is queued, and the commands that lead back to
 * it. Never says that a prompt was refused when it may run.
 *
 * @param name the agent, as the operator named it
 */
export function promptFailure(error: GatewayError, name: string): CommandFailure {
  if (error.requestId !== null) return waitFailure(error, error.requestId, name);
  if (error.idempotencyKey !== null) {
    const exitCode = error.errorCode === 'aborted' ? exitCodes.stopped : exitCodes.notKnown;
    return withWays(error.detail, askAgain(error.idempotencyKey, name), exitCode, callFields(error));
  }
  if (error.errorCode === 'aborted') return callFailure(error);
  if (!error.sent) return callFailure(error, `Nothing was queued: ${error.detail}`);
  return callFailure(error, `The gateway refused the prompt (${error.errorCode}): ${error.detail}`);
}

const askAgain = (key: string, name: string): [string, string][] => [
  ['ask again', `houmao-mgr agents prompt ${name} --idempotency-key ${key} <the same text and options>`],
  ['see what is queued', `houmao-mgr agents requests list ${name}`],
];

/** The same of a request that is queued and was waited for. */
export function waitFailure(error: GatewayError, requestId: string, name: string): CommandFailure {
  const ways = waysBack(requestId, name);
  const fields = { ...callFields(error), requestId };
  if (error.errorCode === 'aborted') return withWays(error.detail, ways, exitCodes.stopped, fields);
  if (error instanceof PromptFailed && error.errorCode !== 'unknown_state') {
    const turnId = error.record.turn?.turn_id;
    const sentence = `The prompt failed (${error.errorCode}): ${error.detail}`;
    return new CommandFailure(sentence, exitCodes.failed, { ...fields, turnId });
  }
  if (error.errorCode === 'timeout') return withWays(error.detail, ways, exitCodes.notKnown, fields);
  const sentence = `Request ${requestId} was not refused; what became of it is not known yet. ${error.detail}`;
  const attach: [string, string] = ['where no gateway answers', `houmao-mgr agents gateway attach ${name}`];
  return withWays(sentence, [...ways, attach], exitCodes.notKnown, fields);
}

/** The commands that lead back to a queued request. */
export const waysBack = (requestId: string, name: string): [string, string][] => [
  ['wait for its answer', `houmao-mgr agents requests wait ${name} ${requestId}`],
  ['look at it', `houmao-mgr agents requests show ${name} ${requestId}`],
  ['take it back while it waits', `houmao-mgr agents requests cancel ${name} ${requestId}`],
  ['stop it while it runs', `houmao-mgr agents interrupt ${name}`],
];

/** Commands that lead on, each with what it is for: the lines of a hint. */
export const waysWords = (ways: readonly (readonly [string, string])[]): string =>
  table(ways)
    .map((line) => `  ${line}`)
    .join('\n');

/** A sentence, and commands that lead on. */
export const withWays = (
  sentence: string,
  ways: readonly (readonly [string, string])[],
  exitCode: ExitCode,
  fields: FailureFields = {},
): CommandFailure => new CommandFailure(sentence, exitCode, { ...fields, hint: waysWords(ways) });
