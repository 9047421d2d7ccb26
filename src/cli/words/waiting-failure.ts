import { type GatewayError, PromptFailed } from '@houmao/sdk';
import { type HoumaoError, TurnFailed } from '@houmao/sdk/managed-agent';
import { answerWords, callFailure, callFields, isMissingThere } from './call-failure.js';
import {
  CommandFailure,
  type ExitCode,
  exitCodes,
  type FailureFields,
  type Remedy,
} from './command-failure.js';

/**
 * What an operator has to know when a prompt brought no answer: whether it is queued, and the commands that lead back to
 * it. Never says that a prompt was refused when it may run.
 *
 * @param name the agent, as the operator named it
 * @param again the options and the text of the prompt, as a shell takes them
 * @param runningTurn the turn of the prompt, when it was last seen to run
 */
export function promptFailure(
  error: GatewayError,
  name: string,
  again: string,
  runningTurn: string | null,
): CommandFailure {
  const { requestId } = error;
  if (requestId !== null) return waitFailure(error, { requestId, runningTurn }, name);
  if (error.idempotencyKey !== null) {
    const exitCode = error.errorCode === 'aborted' ? exitCodes.stopped : exitCodes.notKnown;
    return withWays(error.detail, askAgain(error.idempotencyKey, name, again), exitCode, callFields(error));
  }
  if (error.errorCode === 'aborted') return callFailure(error);
  if (!error.sent) return callFailure(error, `Nothing was queued: ${error.detail}`);
  return callFailure(
    error,
    answerWords(error, `The gateway refused the prompt (${error.errorCode})`),
    whyNotPrompted(error.errorCode, name, ''),
  );
}

/** What tells why an agent could not be prompted, on its own machine. @param server the flag that leads to the same server */
export const whyNotPrompted = (errorCode: string, name: string, server: string): Remedy[] =>
  server === '' && (errorCode === 'dispatch_failed' || errorCode === 'unavailable')
    ? [['find out why', `houmao-mgr agents doctor ${name}`]]
    : [];

const askAgain = (key: string, name: string, again: string): Remedy[] => [
  ['ask again', `houmao-mgr agents prompt ${name} --idempotency-key ${key} ${again}`],
  ['see what is queued', `houmao-mgr agents requests list ${name}`],
];

/** The same of a request that is queued and was waited for. @param server the flag that leads to the same server */
export function waitFailure(
  error: GatewayError | HoumaoError,
  request: QueuedRequest,
  name: string,
  server = '',
): CommandFailure {
  const { requestId } = request;
  const ways = waysBack(request, name, server);
  const fields = { ...callFields(error), requestId };
  if (error.errorCode === 'aborted') return withWays(error.detail, ways, exitCodes.stopped, fields);
  if (error instanceof PromptFailed && error.errorCode !== 'unknown_state') {
    const turnId = error.record.turn?.turn_id;
    const sentence =
      error.errorCode === 'cancelled'
        ? `Request ${requestId} was cancelled before it ran.`
        : `The prompt failed (${error.errorCode}): ${error.detail}`;
    const remedies = whyNotPrompted(error.errorCode, name, server);
    return new CommandFailure(sentence, exitCodes.failed, { ...fields, turnId, remedies });
  }
  if (error.errorCode === 'timeout') return withWays(error.detail, ways, exitCodes.notKnown, fields);
  if (isMissingThere(error)) return untold(requestId, name, server, fields);
  const sentence = `Request ${requestId} was not refused; its result is not known yet. ${error.detail}`;
  const attach: Remedy = ['if no gateway answers', `houmao-mgr agents gateway attach ${name}${server}`];
  return withWays(sentence, [...ways, attach], exitCodes.notKnown, fields);
}

/** Of a gateway that takes requests and does not say what becomes of them. One of this release finds them in its queue. */
const untold = (requestId: string, name: string, server: string, fields: FailureFields): CommandFailure =>
  withWays(
    `The gateway has request ${requestId}. It is the older implementation's, which does not say what becomes of a request.`,
    [
      ['replace it with one of this release', `houmao-mgr agents gateway attach ${name}${server} --restart`],
      ['then ask for the request', `houmao-mgr agents requests show ${name} ${requestId}${server}`],
    ],
    exitCodes.notKnown,
    fields,
  );

/** A request, as it was last seen. */
export interface QueuedRequest {
  readonly requestId: string;
  /** Its turn, when that was seen to run; null of one that waits, or is not known. */
  readonly runningTurn: string | null;
}

/**
 * The commands that lead back to a queued request. Of one that may wait, `cancel` is offered: it refuses one that runs, and names its turn.
 *
 * @param server the flag that leads to the same server, with a blank before it; empty where none is needed
 */
export const waysBack = ({ requestId, runningTurn }: QueuedRequest, name: string, server = ''): Remedy[] => [
  ['wait for its answer', `houmao-mgr agents requests wait ${name} ${requestId}${server}`],
  ['look at it', `houmao-mgr agents requests show ${name} ${requestId}${server}`],
  runningTurn === null
    ? ['take it back while it waits', `houmao-mgr agents requests cancel ${name} ${requestId}${server}`]
    : stopTurn(runningTurn, name, server),
];

/** Stops one turn and no other that runs by then. */
export const stopTurn = (turnId: string, name: string, server: string): Remedy => [
  'stop it',
  `houmao-mgr agents interrupt ${name} --turn ${turnId}${server}`,
];

/** A sentence, and commands that lead on. */
export const withWays = (
  sentence: string,
  remedies: readonly Remedy[],
  exitCode: ExitCode,
  fields: FailureFields = {},
): CommandFailure => new CommandFailure(sentence, exitCode, { ...fields, remedies });

/**
 * What an operator has to know when a prompt that a server took brought no answer: whether it runs, and the commands that lead back
 * to it. Never says that a prompt was refused when it may run.
 *
 * @param name the agent, as the operator named it
 * @param server the flag that leads to the same server, with a blank before it; empty where none is needed
 * @param given the options and the text of the prompt, as a shell takes them
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
  if (error.mayBeDone && error.turnId !== null) {
    const look: Remedy = ['look at it', `houmao-mgr agents turns get ${name} ${error.turnId}${server}`];
    return withWays(error.detail, [look, ...askAgain], exitCodes.notKnown, callFields(error));
  }
  if (error.turnId !== null) return turnFailure(error, { turnId: error.turnId, runningTurn }, name, server);
  const exitCode = error.errorCode === 'aborted' ? exitCodes.stopped : exitCodes.notKnown;
  if (askAgain.length > 0) return withWays(error.detail, askAgain, exitCode, callFields(error));
  if (error instanceof TurnFailed) return turnFailed(error, name, server);
  if (error.errorCode === 'aborted') return callFailure(error);
  if (error.errorCode === 'agent_busy') return busyFailure(error, name, server);
  if (!error.sent) return callFailure(error, `The agent was not prompted: ${error.detail}`);
  return callFailure(error, answerWords(error, `The server refused the prompt (${error.errorCode})`));
}

const turnFailed = (error: TurnFailed, name: string, server: string): CommandFailure =>
  new CommandFailure(`The prompt failed (${error.errorCode}): ${error.detail}`, exitCodes.failed, {
    ...callFields(error),
    remedies: whyNotPrompted(error.errorCode, name, server),
  });

/** That the agent works on another turn, and the ways to have it prompted: a server's own ones are routes. */
function busyFailure(error: HoumaoError, name: string, server: string): CommandFailure {
  const [, turnId, lacks] =
    /^Agent `[^`]+` works on turn `([^`]+)`; (with a gateway)?/.exec(error.detail) ?? [];
  if (turnId === undefined)
    return callFailure(error, answerWords(error, `The server refused the prompt (${error.errorCode})`));
  const queue: Remedy = lacks
    ? ['start a gateway, which queues prompts', `houmao-mgr agents gateway attach ${name}${server}`]
    : ['queue it at its gateway, on its machine', `houmao-mgr agents prompt ${name}`];
  return callFailure(
    error,
    `${name} works on turn ${turnId}, and a server hands a prompt over at once or not at all.`,
    [['wait for that turn', `houmao-mgr agents turns wait ${name} ${turnId}${server}`], queue],
  );
}

/** The same of a turn that has begun, or waits in the agent's queue, and was waited for. */
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
  if (error.errorCode === 'timeout') return withWays(error.detail, ways, exitCodes.notKnown, fields);
  const sentence = `Turn ${turnId} was not refused; its result is not known yet. ${error.detail}`;
  const start: Remedy = ['if no server answers', 'houmao-mgr server start'];
  return withWays(sentence, [...ways, start], exitCodes.notKnown, fields);
}

/** The commands that lead back to a turn; by its request where it has one: while that waits, nobody knows the turn. */
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
