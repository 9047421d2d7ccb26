import { isGatewayError } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import { BadEnvironment } from '../foundation/bad-environment.js';
import { NoFolder } from '../foundation/make-folder.js';
import { systemFaultOf } from '../foundation/system-fault.js';
import { UnusableFile } from '../foundation/unusable-file.js';
import { LaunchFault, LaunchRefused } from '../launch/launch-fault.js';
import { MailFault, type MailFaultCode } from '../mail/message/mail-fault.js';
import { MailRefusal } from '../mail/message/mail-refusal.js';
import { TmuxFault } from '../terminal/tmux-fault.js';
import { launchFailure } from './flags/launch-options.js';
import { callFailure, refusalFailure } from './words/call-failure.js';
import { CommandFailure, type ExitCode, exitCodes } from './words/command-failure.js';

/** Whatever a command threw, as a failure; with a stack where that is a fault of this program. */
export function failureOf(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (isGatewayError(error) || isHoumaoError(error)) return callFailure(error);
  if (error instanceof LaunchRefused) return launchFailure(error.trouble);
  const errorCode = knownKinds.find(([kind]) => error instanceof kind)?.[1];
  if (errorCode !== undefined) return new CommandFailure((error as Error).message, 1, { errorCode });
  if (error instanceof MailRefusal) return refusalFailure(error);
  if (error instanceof MailFault)
    return new CommandFailure(error.message, mailExitCodes[error.code] ?? exitCodes.failed, {
      errorCode: error.code,
    });
  const fault = systemFaultOf(error, 'this machine');
  if (fault !== null) return new CommandFailure(fault, exitCodes.failed, { errorCode: 'machine' });
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return new CommandFailure(stack ?? message, exitCodes.failed, { errorCode: 'internal_fault' });
}

const knownKinds = [
  [UnusableFile, 'unusable_file'],
  [NoFolder, 'machine'],
  [TmuxFault, 'tmux'],
  [LaunchFault, 'launch_failed'],
  [BadEnvironment, 'bad_environment'],
] as const;

/** Of mailboxes: where not all is refused that failed. */
const mailExitCodes: Partial<Record<MailFaultCode, ExitCode>> = {
  not_registered: exitCodes.notFound,
  message_unknown: exitCodes.notFound,
  state_late: exitCodes.doneAllTheSame,
  outcome_unknown: exitCodes.notKnown,
};
