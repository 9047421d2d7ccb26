import { isHoumaoError, type Schemas } from '@houmao/sdk/managed-agent';
import { executionOf, type PromptFlags } from '../../flags/prompt-flags.js';
import { serverFlagWords } from '../../flags/server-flag.js';
import { announce } from '../../words/request-words.js';
import type { Output } from '../../words/terminal-output.js';
import { promptAtServerFailure } from '../../words/turn-failure.js';
import { announceTurn } from '../../words/turn-words.js';
import type { AgentAtServer } from './agent-at-server.js';

type TurnRecord = Schemas['TurnRecord'];

/** What is asked of an agent, in the words of the operator. */
export interface AskedPrompt {
  readonly name: string;
  readonly prompt: string;
  readonly flags: PromptFlags;
  readonly signal: AbortSignal;
}

/** `agents prompt` by a managed-agent server: an agent with a gateway gets it by that one's queue, one without at once. */
export async function promptAtServer(
  { agent }: AgentAtServer,
  { name, prompt, flags, signal }: AskedPrompt,
  output: Output,
): Promise<void> {
  const execution = executionOf(flags);
  let queued: Schemas['RequestRecord'] | null = null;
  let turn: TurnRecord | null = null;
  const onQueued = (request: Schemas['RequestRecord']): void => {
    announce(queued, request, output);
    queued = request;
  };
  const onUpdate = (update: TurnRecord): void => {
    announceTurn(turn, update, output);
    turn = update;
  };
  const waiting = { silenceMs: flags.silenceLimit * 1000, signal, onQueued, onUpdate };
  try {
    const answer = flags.new
      ? await inNewConversation()
      : await agent.prompt(prompt, { ...execution, ...waiting, idempotencyKey: flags.idempotencyKey });
    output.result({ answer, turn }, [answer]);
  } catch (error) {
    throw isHoumaoError(error) ? promptAtServerFailure(error, name, serverFlagWords(flags)) : error;
  }

  async function inNewConversation(): Promise<string> {
    const { turn_id } = await agent.createTurn({
      body: { prompt, chat_session: { mode: 'new' }, ...execution },
      ...(flags.idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': flags.idempotencyKey } }),
      signal,
    });
    return agent.turn(turn_id).answer(waiting);
  }
}

/** `agents interrupt` by a managed-agent server. */
export async function interruptAtServer({ agent }: AgentAtServer, output: Output): Promise<void> {
  const accepted = await agent.submitAgentRequest({ body: { request_kind: 'interrupt' } });
  output.result(accepted, [accepted.detail]);
}
