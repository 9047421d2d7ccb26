import { type HoumaoError, TurnFailed } from '@houmao/sdk/managed-agent';
import { type CommandFailure, exitCodes } from './terminal-output.js';
import { failed, withWays } from './waiting-failure.js';

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
    return withWays(exitCode, error.detail, [['ask again', again]]);
  }
  if (error instanceof TurnFailed) return failed(`The prompt failed (${error.errorCode}): ${error.detail}`);
  if (error.errorCode === 'aborted') return failed(error.detail, exitCodes.stopped);
  if (!error.sent) return failed(`The agent was not prompted: ${error.detail}`);
  return failed(`The server refused the prompt (${error.errorCode}): ${error.detail}`);
}

/** The same of a turn that has begun, or waits in the agent's queue, and was waited for. */
export function turnFailure(
  error: HoumaoError,
  turnId: string,
  name: string,
  server: string,
): CommandFailure {
  if (error instanceof TurnFailed) return failed(`The prompt failed (${error.errorCode}): ${error.detail}`);
  if (error.status === 404) return failed(error.detail);
  const ways: [string, string][] = [
    ['wait for its answer', `houmao-mgr agents turns wait ${name} ${turnId}${server}`],
    ['look at it', `houmao-mgr agents turns get ${name} ${turnId}${server}`],
    ...cancelling(error.requestId, name, server),
    ['stop it while it runs', `houmao-mgr agents interrupt ${name}${server}`],
  ];
  if (error.errorCode === 'aborted') return withWays(exitCodes.stopped, error.detail, ways);
  const sentence = `Turn ${turnId} was not refused; what became of it is not known yet. ${error.detail}`;
  return withWays(exitCodes.notKnown, sentence, [
    ...ways,
    ['where no server answers', 'houmao-mgr server start'],
  ]);
}

/** A prompt that waits in the queue of a gateway can still be taken back. */
const cancelling = (requestId: string | null, name: string, server: string): [string, string][] =>
  requestId === null
    ? []
    : [['take it back while it waits', `houmao-mgr agents requests cancel ${name} ${requestId}${server}`]];
