import { isGatewayError } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { answerWords, callExitCode, callFields } from '../words/call-failure.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { Remedy } from '../words/remedies.js';

/** Of a request that is not there. @param server the flag that leads to the same server, with a blank before it */
export const listThem = (name: string, server = ''): Remedy => [
  'list them',
  `houmao-mgr agents requests list ${name}${server}`,
];

/** Refusals in words that lead on; where no answer came, nobody knows whether it was done. */
export async function explained<T>(
  call: Promise<T>,
  name: string,
  id: string,
  flags: ServerFlag,
  runningTurn: () => Promise<string | null> = async () => null,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isGatewayError(error) && !isHoumaoError(error)) throw error;
    const server = serverFlagWords(flags);
    const fields = { ...callFields(error), requestId: id };
    const exitCode = callExitCode(error);
    if (error.status === null || exitCode === exitCodes.notKnown) {
      const again: Remedy = ['look again', `houmao-mgr agents requests show ${name} ${id}${server}`];
      const sentence = `${error.detail} The state of ${id} is not known.`;
      throw new CommandFailure(sentence, exitCodes.notKnown, { ...fields, remedies: [again] });
    }
    const turn = error.status === 409 ? await runningTurn() : null;
    const stop: Remedy = ['stop it', `houmao-mgr agents interrupt ${name} --turn ${turn}${server}`];
    if (turn !== null)
      throw new CommandFailure(`${id} is no longer waiting: its turn ${turn} is running.`, exitCode, {
        ...{ ...fields, turnId: turn, remedies: [stop] },
      });
    const remedies = error.status === 404 ? [listThem(name, server)] : [];
    throw new CommandFailure(answerWords(error, 'The gateway refused'), exitCode, { ...fields, remedies });
  }
}
