import { type AnyGateway, type HoumaoError, isHoumaoError, type Schemas } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../launch/agent-host.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { limitsOf, type WaitingFlags } from '../flags/work-flags.js';
import { callFailure } from '../words/call-failure.js';
import { namedAs } from '../words/command-failure.js';
import { ProgressDisplay, whileAsked } from '../words/following.js';
import { requestLines } from '../words/request-words.js';
import { interruptible, type Output } from '../words/terminal-output.js';
import { turnLines } from '../words/turn-words.js';
import { turnFailure } from '../words/waiting-failure.js';
import { requireAtServer, terminalAtServer } from './at-server/agent-at-server.js';

/** `agents turns get`: prints a turn, or its request while the prompt still waits in the queue of a gateway. */
export async function getTurn(
  name: string,
  turnId: string,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const { agent, identity } = await requireAtServer(name, flags, host);
  try {
    const turn = await agent.getTurnRecord({ path: { turn_id: turnId } });
    output.result(turn, turnLines(turn, output.time));
  } catch (error) {
    if (!isHoumaoError(error)) throw error;
    const request = await queuedFor(error, agent.gateway);
    if (request === null) throw namedAs(callFailure(error), identity, name);
    const lines = requestLines(request, name, serverFlagWords(flags), output.time);
    // The turn may have begun meanwhile.
    output.result(request.turn ?? { turn_id: turnId, state: 'queued', request }, lines);
  }
}

/** `agents turns wait`: continues where `agents prompt` was left, also while the prompt still waits in the queue of a gateway. */
export async function waitForTurn(
  name: string,
  turnId: string,
  flags: ServerFlag & WaitingFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const way = await requireAtServer(name, flags, host);
  const { agent, identity } = way;
  await interruptible(async (signal) => {
    const following = new ProgressDisplay(output, name, 'server', serverFlagWords(flags));
    const { onRequest: onQueued, onTurn: onUpdate, onSilence } = following;
    const waiting = { ...limitsOf(flags), signal, onQueued, onUpdate, onSilence };
    try {
      const work = agent.turn(turnId).answer(waiting);
      const answer = await whileAsked(terminalAtServer(way), following, work, host.clock);
      output.result({ answer, turn: following.turn }, [answer]);
    } catch (error) {
      if (!isHoumaoError(error)) throw error;
      const turn = { turnId, runningTurn: following.runningTurn };
      throw namedAs(turnFailure(error, turn, name, serverFlagWords(flags)), identity, name);
    } finally {
      following.end();
    }
  });
}

/** Returns the request that will begin a turn the server does not know yet; null when there is none. */
async function queuedFor(
  { requestId }: HoumaoError,
  { getRequest }: Pick<AnyGateway, 'getRequest'>,
): Promise<Schemas['RequestRecord'] | null> {
  if (requestId === null) return null;
  const request = await getRequest({ path: { request_id: requestId } }).catch((refused: unknown) => {
    if (isHoumaoError(refused) && refused.status !== null) return null;
    throw refused;
  });
  return request !== null && (request.turn !== null || request.state === 'accepted') ? request : null;
}
