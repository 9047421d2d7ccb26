import { isGatewayError } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { callExitCode, callFields } from '../words/call-failure.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { Remedy } from '../words/remedies.js';

/** Refusals in words that lead on; where no answer came, nobody knows whether it was done. */
export async function explained<T>(
  call: Promise<T>,
  name: string,
  id: string,
  flags: ServerFlag,
  runs: () => Promise<boolean> = async () => false,
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
      const sentence = `${error.detail} How ${id} stands is not known.`;
      throw new CommandFailure(sentence, exitCodes.notKnown, { ...fields, remedies: [again] });
    }
    const list: Remedy = ['what there is', `houmao-mgr agents requests list ${name}${server}`];
    const stop: Remedy = ['to stop what runs', `houmao-mgr agents interrupt ${name}${server}`];
    const remedies = error.status === 404 ? [list] : error.status === 409 && (await runs()) ? [stop] : [];
    throw new CommandFailure(`The gateway refused: ${error.detail}`, exitCode, { ...fields, remedies });
  }
}
