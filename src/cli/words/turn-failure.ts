import { type HoumaoError, TurnFailed } from '@houmao/sdk/managed-agent';
import { callFailure, callFields } from './call-failure.js';
import { CommandFailure, exitCodes } from './command-failure.js';
import { withWays } from './waiting-failure.js';

/**
 * What an operator has to know when a prompt that a server took brought no answer: whether it runs, and the commands that lead back
 * to it. Never says that a prompt was refused when it may run.
 *
 * @param name the agent, as the operator named it
 * @param server the flag that leads to the same server, with a blank before it; empty where none is needed
 */
export function promptAtServerFailure(error: HoumaoError, name: string, server: string): CommandFailure {
  if (error.turnId !== null) return turnFailure(error, error.turnId, name, server);
  const exitCode = error.errorCode === 'aborted' ? exitCodes.stopped : exitCodes.notKnown;
  if (error.idempotencyKey !== null) {
    const again = `houmao-mgr agents prompt ${name}${server} --idempotency-key ${error.idempotencyKey} <the same text and options>`;
    return withWays(error.detail, [['ask again', again]], exitCode, callFields(error));
  }
  if (error instanceof TurnFailed) return turnFailed(error);
  if (error.errorCode === 'aborted') return callFailure(error);
  if (!error.sent) return callFailure(error, `The agent was not prompted: ${error.detail}`);
  return callFailure(error, `The server refused the prompt (${error.errorCode}): ${error.detail}`);
}

const turnFailed = (error: TurnFailed): CommandFailure =>
  new CommandFailure(
    `The prompt failed (${error.errorCode}): ${error.detail}`,
    exitCodes.failed,
    callFields(error),
  );

/** The same of a turn that has begun, or waits in the agent's queue, and was waited for. */
export function turnFailure(
  error: HoumaoError,
  turnId: string,
  name: string,
  server: string,
): CommandFailure {
  if (error instanceof TurnFailed) return turnFailed(error);
  if (error.status === 404) return callFailure(error);
  const fields = { ...callFields(error), turnId };
  const ways: [string, string][] = [
    ['wait for its answer', `houmao-mgr agents turns wait ${name} ${turnId}${server}`],
    ['look at it', `houmao-mgr agents turns get ${name} ${turnId}${server}`],
    ...cancelling(error.requestId, name, server),
    ['stop it while it runs', `houmao-mgr agents interrupt ${name}${server}`],
  ];
  if (error.errorCode === 'aborted') return withWays(error.detail, ways, exitCodes.stopped, fields);
  if (error.errorCode === 'timeout') return withWays(error.detail, ways, exitCodes.notKnown, fields);
  const sentence = `Turn ${turnId} was not refused; what became of it is not known yet. ${error.detail}`;
  const start: [string, string] = ['where no server answers', 'houmao-mgr server start'];
  return withWays(sentence, [...ways, start], exitCodes.notKnown, fields);
}

/** A prompt that waits in the queue of a gateway can still be taken back. */
const cancelling = (requestId: string | null, name: string, server: string): [string, string][] =>
  requestId === null
    ? []
    : [['take it back while it waits', `houmao-mgr agents requests cancel ${name} ${requestId}${server}`]];
