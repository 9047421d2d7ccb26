import type { GatewayError } from '@houmao/sdk';
import type { HoumaoError } from '@houmao/sdk/managed-agent';
import { CommandFailure, type ExitCode, exitCodes, type FailureFields } from './command-failure.js';
import type { Remedy } from './remedies.js';

type CallError = GatewayError | HoumaoError;

/** What the failure of a call means for whoever started the command. Of a call that changes nothing nothing can be left open. */
export function callExitCode({ status, errorCode, sent, done, mayBeDone, operationId }: CallError): ExitCode {
  if (errorCode === 'aborted') return exitCodes.stopped;
  if (done) return exitCodes.doneAllTheSame;
  if (mayBeDone) return exitCodes.notKnown;
  if (status === 404) return exitCodes.notFound;
  if (status !== null) return exitCodes.failed;
  return sent && !/^(get|list)/.test(operationId ?? '') ? exitCodes.notKnown : exitCodes.unreachable;
}

/** What programs are told of it. */
export const callFields = (error: CallError): FailureFields => ({
  errorCode: error.errorCode,
  requestId: error.requestId,
  turnId: 'turnId' in error ? error.turnId : null,
  idempotencyKey: error.idempotencyKey,
});

/** A refusal, or no usable answer, told by gateway or server. @param sentence left out, theirs. */
export const callFailure = (
  error: CallError,
  sentence: string = error.detail,
  remedies: readonly Remedy[] = [],
): CommandFailure => new CommandFailure(sentence, callExitCode(error), { ...callFields(error), remedies });
