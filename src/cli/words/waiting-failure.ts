import { type GatewayError, PromptFailed } from '@houmao/sdk';
import { CommandFailure, exitCodes, table } from './terminal-output.js';

/**
 * What an operator has to know when a prompt brought no answer: whether it is queued, and the commands that lead back to
 * it. Never says that a prompt was refused when it may run.
 *
 * @param name the agent, as the operator named it
 */
export function promptFailure(error: GatewayError, name: string): CommandFailure {
  if (error.requestId !== null) return waitFailure(error, error.requestId, name);
  const exitCode = error.errorCode === 'aborted' ? exitCodes.stopped : exitCodes.notKnown;
  if (error.idempotencyKey !== null) {
    return withWays(exitCode, error.detail, [
      [
        'ask again',
        `houmao-mgr agents prompt ${name} --idempotency-key ${error.idempotencyKey} <the same text and options>`,
      ],
      ['see what is queued', `houmao-mgr agents requests list ${name}`],
    ]);
  }
  if (error.errorCode === 'aborted') return new CommandFailure(error.detail, exitCodes.stopped);
  if (!error.sent) return new CommandFailure(`Nothing was queued: ${error.detail}`);
  return new CommandFailure(`The gateway refused the prompt (${error.errorCode}): ${error.detail}`);
}

/** The same of a request that is queued and was waited for. */
export function waitFailure(error: GatewayError, requestId: string, name: string): CommandFailure {
  const ways = waysBack(requestId, name);
  if (error.errorCode === 'aborted') return withWays(exitCodes.stopped, error.detail, ways);
  if (error instanceof PromptFailed && error.errorCode !== 'unknown_state')
    return new CommandFailure(`The prompt failed (${error.errorCode}): ${error.detail}`);
  const sentence = `Request ${requestId} was not refused; what became of it is not known yet. ${error.detail}`;
  return withWays(exitCodes.notKnown, sentence, [
    ...ways,
    ['where no gateway answers', `houmao-mgr agents gateway attach ${name}`],
  ]);
}

const waysBack = (requestId: string, name: string): [string, string][] => [
  ['wait for its answer', `houmao-mgr agents requests wait ${name} ${requestId}`],
  ['look at it', `houmao-mgr agents requests get ${name} ${requestId}`],
  ['take it back while it waits', `houmao-mgr agents requests cancel ${name} ${requestId}`],
  ['stop it while it runs', `houmao-mgr agents interrupt ${name}`],
];

/** A sentence, and commands that lead on, each with what it is for. */
export const withWays = (
  exitCode: number,
  sentence: string,
  ways: readonly (readonly [string, string])[],
): CommandFailure => failed([sentence, ...table(ways).map((line) => `  ${line}`)].join('\n'), exitCode);

export const failed = (sentence: string, exitCode: number = exitCodes.failed): CommandFailure =>
  new CommandFailure(sentence, exitCode);
