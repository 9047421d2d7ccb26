import { type Agent, isHoumaoError, type TurnHandle } from '@houmao/sdk/managed-agent';
import type { Clock } from '../../../foundation/clock.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import { againWords, executionOf, type PromptFlags } from '../../flags/prompt-flags.js';
import { serverFlagWords } from '../../flags/server-flag.js';
import { limitsOf } from '../../flags/waiting-flags.js';
import { Following } from '../../words/following.js';
import { namedAs, reworded } from '../../words/named-as.js';
import { remedyLines } from '../../words/remedies.js';
import type { Output } from '../../words/terminal-output.js';
import { promptAtServerFailure, turnWays } from '../../words/turn-failure.js';
import { whileAsked } from '../../words/while-asked.js';
import { type AgentAtServer, terminalAtServer } from './agent-at-server.js';

/** What is asked of an agent, in the words of the operator. */
export interface AskedPrompt {
  readonly name: string;
  readonly prompt: string;
  readonly flags: PromptFlags;
  readonly signal: AbortSignal;
}

/** `agents prompt` by a managed-agent server: an agent with a gateway gets it by that one's queue, one without at once. */
export async function promptAtServer(
  way: AgentAtServer,
  asked: AskedPrompt,
  { clock }: Pick<AgentHost, 'clock'>,
  output: Output,
): Promise<void> {
  const { agent, identity } = way;
  const { name, prompt, flags } = asked;
  const following = new Following(output, name, 'server', serverFlagWords(flags));
  try {
    await (flags.wait ? answered(way, asked, following, clock, output) : taken(agent, asked, output));
  } catch (error) {
    if (!isHoumaoError(error)) throw error;
    const failure = promptAtServerFailure(
      error,
      name,
      serverFlagWords(flags),
      againWords(flags, prompt),
      following.runningTurn,
    );
    throw reworded(namedAs(failure, identity, name), following.inWords);
  }
}

async function answered(
  way: AgentAtServer,
  asked: AskedPrompt,
  following: Following,
  clock: Clock,
  output: Output,
): Promise<void> {
  const { agent } = way;
  const { prompt, flags, signal } = asked;
  const { onRequest: onQueued, onTurn: onUpdate, onSilence } = following;
  const waiting = { ...limitsOf(flags), signal, onQueued, onUpdate, onSilence };
  const { idempotencyKey } = flags;
  try {
    const work = flags.new
      ? inNewConversation(agent, asked).then((turn) => turn.answer(waiting))
      : agent.prompt(prompt, { ...executionOf(flags), ...waiting, idempotencyKey });
    const answer = await whileAsked(terminalAtServer(way), following, work, clock);
    output.result({ answer, turn: following.turn }, [answer]);
  } finally {
    following.end();
  }
}

/** `--no-wait`: the id alone on standard output, for a script. */
async function taken(agent: Agent, asked: AskedPrompt, output: Output): Promise<void> {
  const { name, prompt, flags, signal } = asked;
  const { idempotencyKey } = flags;
  const { turnId, requestId } = flags.new
    ? await inNewConversation(agent, asked)
    : await agent.submit(prompt, { ...executionOf(flags), idempotencyKey, signal });
  output.result({ request_id: requestId, turn_id: turnId }, [requestId ?? turnId]);
  const ways = remedyLines(turnWays({ turnId, requestId, runningTurn: null }, name, serverFlagWords(flags)));
  output.progress(`${requestId === null ? 'Taken' : 'Queued'}.\n${ways}`);
}

async function inNewConversation(agent: Agent, { prompt, flags, signal }: AskedPrompt): Promise<TurnHandle> {
  const { data, response } = await agent
    .createTurn({
      body: { prompt, chat_session: { mode: 'new' }, ...executionOf(flags) },
      headers: { 'Idempotency-Key': flags.idempotencyKey },
      signal,
    })
    .withResponse();
  return agent.turn(data.turn_id, response.headers.get('X-Houmao-Request-Id'));
}

/** `agents interrupt` by a managed-agent server. */
export async function interruptAtServer(
  { agent }: AgentAtServer,
  headers: { 'X-Houmao-If-Turn': string | undefined },
  output: Output,
): Promise<void> {
  const accepted = await agent.submitAgentRequest({ body: { request_kind: 'interrupt' }, headers });
  output.result(accepted, [accepted.detail]);
}
