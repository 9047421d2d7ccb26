import { PromptFailed } from '@houmao/sdk';
import {
  type HoumaoError,
  PromptFailed as PromptFailedAtServer,
  TurnFailed,
} from '@houmao/sdk/managed-agent';
import type { AnyCallError } from '../../protocols/agent-work.js';
import { answerWords, callFailure, callFields, isMissingThere } from './call-failure.js';
import {
  CommandFailure,
  type ExitCode,
  exitCodes,
  type FailureFields,
  type Remedy,
} from './command-failure.js';

/**
 * Returns the failure of a prompt without an answer: it says whether the prompt is queued, and names the commands that lead
 * back to it. It never says that a prompt was refused when it may run.
 *
 * @param name the agent, as the operator named it
 * @param again the options and the text of the prompt, quoted for a shell
 * @param runningTurn the turn of the prompt, when it was last seen to run
 * @param server the flag that leads to the same server, with a blank before it; empty when none is needed
 */
export function promptFailure(
  error: AnyCallError,
  name: string,
  again: string,
  runningTurn: string | null,
  server = '',
): CommandFailure {
  const { requestId, idempotencyKey } = error;
  if (requestId !== null) return waitFailure(error, { requestId, runningTurn }, name, server);
  if (idempotencyKey !== null) {
    const exitCode = error.errorCode === 'aborted' ? exitCodes.stopped : exitCodes.outcomeUnknown;
    const ways: Remedy[] = [
      ['ask again', `houmao-mgr agents prompt ${name}${server} --idempotency-key ${idempotencyKey} ${again}`],
      ['see what is queued', `houmao-mgr agents requests list ${name}${server}`],
    ];
    return withWays(error.detail, ways, exitCode, callFields(error));
  }
  if (error.errorCode === 'aborted') return callFailure(error);
  if (!error.sent) return callFailure(error, `Nothing was queued: ${error.detail}`);
  // Through a server either of the two may be the one that refuses; its sentence says why.
  const refused = server === '' ? 'The gateway refused the prompt' : 'The prompt was refused';
  return callFailure(
    error,
    answerWords(error, `${refused} (${error.errorCode})`),
    whyNotPrompted(error.errorCode, name, server),
  );
}

/**
 * Suggests the command that shows, on the agent's machine, why it could not be prompted. @param server the flag that leads to
 * the same server
 */
export const whyNotPrompted = (errorCode: string, name: string, server: string): Remedy[] =>
  server === '' && (errorCode === 'dispatch_failed' || errorCode === 'unavailable')
    ? [['find out why', `houmao-mgr agents doctor ${name}`]]
    : [];

/** Returns the failure of the wait for a queued request. @param server the flag that leads to the same server */
export function waitFailure(
  error: AnyCallError,
  request: QueuedRequest,
  name: string,
  server = '',
): CommandFailure {
  const { requestId } = request;
  const ways = waysBack(request, name, server);
  const fields = { ...callFields(error), requestId };
  if (error.errorCode === 'aborted') return withWays(error.detail, ways, exitCodes.stopped, fields);
  if (isPromptFailed(error) && error.errorCode !== 'unknown_state') {
    const turnId = error.record.turn?.turn_id;
    const remedies = whyNotPrompted(error.errorCode, name, server);
    return new CommandFailure(failedWords(error), exitCodes.failed, { ...fields, turnId, remedies });
  }
  if (error.errorCode === 'timeout') return withWays(error.detail, ways, exitCodes.outcomeUnknown, fields);
  if (isMissingThere(error)) return resultNotReported(requestId, name, server, fields);
  const sentence = `Request ${requestId} was not refused; its result is not known yet. ${error.detail}`;
  const attach: Remedy = ['if no gateway answers', `houmao-mgr agents gateway attach ${name}${server}`];
  return withWays(sentence, [...ways, attach], exitCodes.outcomeUnknown, fields);
}

/** Describes the end of work without an answer. */
const failedWords = ({ errorCode, requestId, detail }: AnyCallError): string =>
  errorCode === 'cancelled'
    ? `Request ${requestId} was cancelled before it ran.`
    : errorCode === 'lapsed'
      ? `Request ${requestId} lapsed, and never runs. ${detail}`
      : `The prompt failed (${errorCode}): ${detail}`;

const isPromptFailed = (error: AnyCallError): error is PromptFailed | PromptFailedAtServer =>
  error instanceof PromptFailed || error instanceof PromptFailedAtServer;

/**
 * Returns the failure for a gateway that takes requests but does not report their results. A gateway of this release finds them
 * in its queue.
 */
const resultNotReported = (
  requestId: string,
  name: string,
  server: string,
  fields: FailureFields,
): CommandFailure =>
  withWays(
    `The gateway has request ${requestId}. It is the older implementation's, which does not say what becomes of a request.`,
    [
      ['replace it with one of this release', `houmao-mgr agents gateway attach ${name}${server} --restart`],
      ['then ask for the request', `houmao-mgr agents requests show ${name} ${requestId}${server}`],
    ],
    exitCodes.outcomeUnknown,
    fields,
  );

/** A request, as it was last observed. */
export interface QueuedRequest {
  readonly requestId: string;
  /** Its turn, if it was seen to run; null for a request that waits, or is unknown. */
  readonly runningTurn: string | null;
}

/**
 * Returns the commands that lead back to a queued request. For one that may wait, `cancel` is offered: it refuses a running
 * one, and names its turn.
 *
 * @param server the flag that leads to the same server, with a blank before it; empty when none is needed
 */
export const waysBack = ({ requestId, runningTurn }: QueuedRequest, name: string, server = ''): Remedy[] => [
  ['wait for its answer', `houmao-mgr agents requests wait ${name} ${requestId}${server}`],
  ['look at it', `houmao-mgr agents requests show ${name} ${requestId}${server}`],
  runningTurn === null
    ? ['take it back while it waits', `houmao-mgr agents requests cancel ${name} ${requestId}${server}`]
    : stopTurn(runningTurn, name, server),
];

/** Suggests the command that stops this turn, and no other that may run by then. */
export const stopTurn = (turnId: string, name: string, server: string): Remedy => [
  'stop it',
  `houmao-mgr agents interrupt ${name} --turn ${turnId}${server}`,
];

/** Returns a failure with a sentence and the commands that help. */
export const withWays = (
  sentence: string,
  remedies: readonly Remedy[],
  exitCode: ExitCode,
  fields: FailureFields = {},
): CommandFailure => new CommandFailure(sentence, exitCode, { ...fields, remedies });

/**
 * Returns the failure of a prompt without an answer that a server handed to an agent without a gateway: it says whether the prompt
 * runs, and names the commands that lead back to it. It never says that a prompt was refused when it may run.
 *
 * @param name the agent, as the operator named it
 * @param server the flag that leads to the same server, with a blank before it; empty when none is needed
 * @param given the options and the text of the prompt, quoted for a shell
 * @param runningTurn the turn of the prompt, when it was last seen to run
 */
export function promptAtServerFailure(
  error: HoumaoError,
  name: string,
  server: string,
  given: string,
  runningTurn: string | null,
): CommandFailure {
  const again = `houmao-mgr agents prompt ${name}${server} --idempotency-key ${error.idempotencyKey} ${given}`;
  const askAgain: readonly Remedy[] = error.idempotencyKey === null ? [] : [['ask again', again]];
  if (error.outcomeUnknown && error.turnId !== null) {
    const look: Remedy = ['look at it', `houmao-mgr agents turns get ${name} ${error.turnId}${server}`];
    return withWays(error.detail, [look, ...askAgain], exitCodes.outcomeUnknown, callFields(error));
  }
  if (error.turnId !== null) return turnFailure(error, { turnId: error.turnId, runningTurn }, name, server);
  const exitCode = error.errorCode === 'aborted' ? exitCodes.stopped : exitCodes.outcomeUnknown;
  if (askAgain.length > 0) return withWays(error.detail, askAgain, exitCode, callFields(error));
  if (error instanceof TurnFailed) return turnFailed(error, name, server);
  if (error.errorCode === 'aborted') return callFailure(error);
  if (error.activeTurnId !== null) return busyFailure(error, error.activeTurnId, name, server);
  if (!error.sent) return callFailure(error, `The agent was not prompted: ${error.detail}`);
  return callFailure(error, answerWords(error, `The server refused the prompt (${error.errorCode})`));
}

const turnFailed = (error: TurnFailed, name: string, server: string): CommandFailure =>
  new CommandFailure(failedWords(error), exitCodes.failed, {
    ...callFields(error),
    remedies: whyNotPrompted(error.errorCode, name, server),
  });

/**
 * Returns the failure for an agent that works on another turn, with the commands that prompt it later, where the server names
 * routes.
 */
const busyFailure = (error: HoumaoError, turnId: string, name: string, server: string): CommandFailure =>
  callFailure(
    error,
    `${name} works on turn ${turnId}, and without a gateway a prompt is handed over at once or not at all.`,
    [
      ['wait for that turn', `houmao-mgr agents turns wait ${name} ${turnId}${server}`],
      ['start a gateway, which queues prompts', `houmao-mgr agents gateway attach ${name}${server}`],
    ],
  );

/** Returns the failure of the wait for a turn that has begun, or that waits in the agent's queue. */
export function turnFailure(
  error: HoumaoError,
  { turnId, runningTurn }: { turnId: string; runningTurn: string | null },
  name: string,
  server: string,
): CommandFailure {
  if (error instanceof TurnFailed) return turnFailed(error, name, server);
  if (error.status === 404) return callFailure(error);
  const fields = { ...callFields(error), turnId };
  const ways = turnWays({ turnId, requestId: error.requestId, runningTurn }, name, server);
  if (error.errorCode === 'aborted') return withWays(error.detail, ways, exitCodes.stopped, fields);
  if (error.errorCode === 'timeout') return withWays(error.detail, ways, exitCodes.outcomeUnknown, fields);
  const sentence = `Turn ${turnId} was not refused; its result is not known yet. ${error.detail}`;
  const start: Remedy = ['if no server answers', 'houmao-mgr server start'];
  return withWays(sentence, [...ways, start], exitCodes.outcomeUnknown, fields);
}

/**
 * Returns the commands that lead back to a turn; through its request if it has one, since no server knows the turn while the
 * request waits.
 */
export const turnWays = (
  {
    turnId,
    requestId,
    runningTurn,
  }: { turnId: string; requestId: string | null; runningTurn: string | null },
  name: string,
  server: string,
): Remedy[] =>
  requestId === null
    ? [
        ['wait for its answer', `houmao-mgr agents turns wait ${name} ${turnId}${server}`],
        ['look at it', `houmao-mgr agents turns get ${name} ${turnId}${server}`],
        stopTurn(turnId, name, server),
      ]
    : waysBack({ requestId, runningTurn }, name, server);
