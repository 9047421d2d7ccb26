import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError } from '../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { limitsOf, type WaitingFlags } from '../flags/work-flags.js';
import { reworded } from '../words/command-failure.js';
import { ProgressDisplay, whileAsked } from '../words/following.js';
import { interruptWords } from '../words/request-words.js';
import { interruptible, type Output } from '../words/terminal-output.js';
import { waitFailure } from '../words/waiting-failure.js';
import { explained } from './ask-queue.js';
import { queueWith } from './way-to.js';

/** `agents requests wait`: continues where `agents prompt` was left. */
export async function waitForRequest(
  name: string,
  id: string,
  flags: ServerFlag & WaitingFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  await interruptible(async (signal) => {
    const server = serverFlagWords(flags);
    const client = await queueWith(id, name, flags, host);
    // The first call does not wait: a wrong id must not look like a silence.
    let request = await explained(client.getRequest({ path: { request_id: id } }), name, id, flags);
    const following = new ProgressDisplay(output, name, server === '' ? 'gateway' : 'server', server);
    const { onSilence } = following;
    following.onRequest(request, null);
    const onUpdate: ProgressDisplay['onRequest'] = (update, silence) => {
      request = update;
      following.onRequest(update, silence);
    };
    try {
      const answer = await whileAsked(
        () => client.getTuiState(),
        following,
        client.request(id).answer({ ...limitsOf(flags), signal, onUpdate, onSilence }),
        host.clock,
      );
      const lines = request.request_kind === 'interrupt' ? [interruptWords(request)] : [answer];
      output.result({ answer, request }, lines);
    } catch (error) {
      if (!isCallError(error)) throw error;
      const waiting = { requestId: id, runningTurn: following.runningTurn };
      throw reworded(waitFailure(error, waiting, name, server), following.inWords);
    } finally {
      following.end();
    }
  });
}
