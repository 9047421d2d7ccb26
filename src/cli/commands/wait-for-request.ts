import { isGatewayError, PromptFailed, type Schemas } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../launch/agent-host.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { limitsOf, type WaitingFlags } from '../flags/work-flags.js';
import { reworded } from '../words/command-failure.js';
import { ProgressDisplay, whileAsked } from '../words/following.js';
import { interruptWords } from '../words/request-words.js';
import { interruptible, type Output } from '../words/terminal-output.js';
import { turnFailure, waitFailure } from '../words/waiting-failure.js';
import { explained } from './ask-queue.js';
import { requireAtServer, terminalAtServer } from './at-server/agent-at-server.js';
import { whenBegun } from './at-server/request-at-server.js';
import { gatewayOf } from './find-agent.js';

type RequestRecord = Schemas['RequestRecord'];

/** `agents requests wait`: continues where `agents prompt` was left. */
export async function waitForRequest(
  name: string,
  id: string,
  flags: ServerFlag & WaitingFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  await interruptible(async (signal) => {
    const asked = { name, id, flags, signal };
    const following = new ProgressDisplay(
      output,
      name,
      flags.server === undefined ? 'gateway' : 'server',
      serverFlagWords(flags),
    );
    try {
      const { answer, request } = await (flags.server === undefined
        ? atGateway(asked, following, host)
        : atServer(asked, following, host));
      const lines = request.request_kind === 'interrupt' ? [interruptWords(request)] : [answer];
      output.result({ answer, request }, lines);
    } finally {
      following.end();
    }
  });
}

interface Asked {
  readonly name: string;
  readonly id: string;
  readonly flags: ServerFlag & WaitingFlags;
  readonly signal: AbortSignal;
}
interface Answered {
  readonly answer: string;
  readonly request: RequestRecord;
}

async function atGateway(
  { name, id, flags, signal }: Asked,
  following: ProgressDisplay,
  host: AgentHost,
): Promise<Answered> {
  const client = await gatewayOf(name, host);
  // The first call does not wait: a wrong id must not look like a silence.
  let request = await explained(client.getRequest({ path: { request_id: id } }), name, id, flags);
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
    return { answer, request };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const failure = waitFailure(error, { requestId: id, runningTurn: following.runningTurn }, name);
    throw reworded(failure, following.inWords);
  }
}

/** Waits through a server. While the request is in the queue, the server has no turn to wait for and is asked for the request. */
async function atServer(
  { name, id, flags, signal }: Asked,
  following: ProgressDisplay,
  host: AgentHost,
): Promise<Answered> {
  const way = await requireAtServer(name, flags, host);
  const { agent } = way;
  await explained(agent.gateway.getRequest({ path: { request_id: id } }), name, id, flags);
  const server = serverFlagWords(flags);
  const request = await whenBegun(
    agent.gateway,
    { name, id, server, limits: limitsOf(flags), signal, clock: host.clock },
    following,
  );
  if (request.turn === null) {
    if (request.state !== 'completed')
      throw waitFailure(new PromptFailed(request), { requestId: id, runningTurn: null }, name, server);
    return { answer: '', request };
  }
  const { turn_id } = request.turn;
  const { onTurn: onUpdate, onSilence } = following;
  try {
    const answer = await whileAsked(
      terminalAtServer(way),
      following,
      agent.turn(turn_id, id).answer({ ...limitsOf(flags), signal, onUpdate, onSilence }),
      host.clock,
    );
    return { answer, request };
  } catch (error) {
    const turn = { turnId: turn_id, runningTurn: following.runningTurn };
    throw isHoumaoError(error) ? turnFailure(error, turn, name, server) : error;
  }
}
