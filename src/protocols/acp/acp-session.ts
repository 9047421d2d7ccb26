import {
  type AgentContext,
  methods,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { RequestHandle, Schemas } from '@houmao/sdk';
import type { AnyGateway } from '@houmao/sdk/managed-agent';
import { isCallError, waitingWords } from '../agent-work.js';
import {
  appended,
  messageChunk,
  nothingShown,
  permissionOptions,
  type ShownText,
  thought,
  updateOf,
} from './acp-words.js';

/** The agent that a client talks to, and the way to it. */
export interface AcpAgent {
  /** The name under which the operator called it. */
  readonly name: string;
  readonly gateway: AnyGateway;
  /** Whether it runs in a terminal: then it has one conversation, and asks a person there. */
  readonly inTerminal: boolean;
}

/** The most numbers without a turn that stand one after the other in a session. */
const longestGap = 10;

type Ended = Extract<Schemas['TurnPart'], { kind: 'ended' }>['data'];

/**
 * A session of a client: the conversation of a headless agent that begins with its first prompt, or the one of the terminal. The turn
 * of its nth prompt is named `<session>-<n>`, so the gateway has all of it, and it can be loaded by any program.
 */
export class AcpSession {
  readonly id: string;
  readonly #agent: AcpAgent;
  readonly #client: AgentContext;
  #prompts = 0;
  /** The agent's own id of the conversation; null before it is known. */
  #conversation: string | null = null;
  /** The prompt under way: what was submitted of it, and whether the client has cancelled it. */
  #underWay: { handle: RequestHandle | null; isCancelled: boolean } | null = null;

  constructor(id: string, agent: AcpAgent, client: AgentContext) {
    this.id = id;
    this.#agent = agent;
    this.#client = client;
  }

  /**
   * Queues a prompt and streams its turn to the client.
   * @param gone fires when the client is gone: the showing ends, the turn goes on.
   * @throws the error of the call, or {RequestError} when the turn failed.
   */
  async prompt(text: string, gone: AbortSignal): Promise<PromptResponse> {
    if (this.#underWay !== null)
      throw RequestError.invalidRequest(undefined, 'a prompt of this session is under way; cancel it first');
    const underWay = { handle: null as RequestHandle | null, isCancelled: false };
    this.#underWay = underWay;
    try {
      const handle = await this.#submit(text);
      underWay.handle = handle;
      // The client may have cancelled it before there was a request.
      if (underWay.isCancelled) await handle.interrupt();
      // The prompt is queued, whether or not this look succeeds.
      else await this.#sayThatItWaits(handle).catch(() => undefined);
      const ended = await this.#show(handle.stream({ signal: gone }), true);
      if (ended?.outcome === 'interrupted' && !underWay.isCancelled)
        await this.#update(thought(ended.error?.detail ?? 'The turn was interrupted from elsewhere.'));
      return this.#answer(handle, ended);
    } catch (error) {
      // A prompt that was taken back out of the queue never has a turn.
      if (underWay.isCancelled && isCallError(error) && error.errorCode === 'cancelled')
        return { stopReason: 'cancelled' };
      throw error;
    } finally {
      this.#underWay = null;
    }
  }

  /** Interrupts the prompt under way, and no other turn of the agent. */
  async cancel(): Promise<void> {
    if (this.#underWay === null) return;
    this.#underWay.isCancelled = true;
    try {
      await this.#underWay.handle?.interrupt();
    } catch (error) {
      await this.#update(thought(`The prompt could not be cancelled: ${(error as Error).message}`));
    }
  }

  /** Whether a prompt is under way. */
  get isBusy(): boolean {
    return this.#underWay !== null;
  }

  /** Shows the turns of the session again, as far as they have ended. @returns how many there are. */
  async replay(): Promise<number> {
    let shown = 0;
    // A prompt that was taken back out of the queue has left its number without a turn.
    for (let number = 1; number <= this.#prompts + longestGap; number += 1) {
      const turn = await this.#turn(number);
      if (turn === null) continue;
      shown += 1;
      this.#prompts = number;
      this.#conversation ??= turn.provider_session_id;
      await this.#update(messageChunk('user_message_chunk', await this.#promptOf(turn)));
      if (turn.state === 'ended') await this.#show(this.#agent.gateway.turn(turn.turn_id).stream(), false);
      else
        await this.#update(
          thought(`Turn ${turn.turn_id} is still running; load the session again to see it.`),
        );
    }
    return shown;
  }

  async #submit(text: string): Promise<RequestHandle> {
    for (;;) {
      this.#prompts += 1;
      const turnId = this.#turnId(this.#prompts);
      try {
        return await this.#agent.gateway.submit(text, { turnId, ...this.#chatSession() });
      } catch (error) {
        // Only a prompt that was surely refused leaves its number to the next one.
        if (isCallError(error) && !error.outcomeUnknown && error.idempotencyKey === null) this.#prompts -= 1;
        // Another program that loaded this session may have prompted first.
        const isRefused = isCallError(error) && error.errorCode === 'request_refused';
        if (!isRefused || (await this.#turn(this.#prompts + 1)) === null) throw error;
        this.#prompts += 1;
      }
    }
  }

  #chatSession(): { chatSession?: Schemas['ChatSessionSelector'] } {
    if (this.#agent.inTerminal) return {};
    if (this.#conversation !== null) return { chatSession: { mode: 'exact', id: this.#conversation } };
    return { chatSession: { mode: 'new' } };
  }

  #turnId = (number: number): string => `${this.id}-${number}`;

  async #turn(number: number): Promise<Schemas['TurnRecord'] | null> {
    try {
      return await this.#agent.gateway.turn(this.#turnId(number)).record();
    } catch (error) {
      if (isCallError(error) && error.status === 404) return null;
      throw error;
    }
  }

  async #promptOf({ request_id, turn_id }: Schemas['TurnRecord']): Promise<string> {
    if (request_id === null) return turn_id;
    const { prompt_preview } = await this.#agent.gateway.request(request_id).record();
    return prompt_preview ?? turn_id;
  }

  async #sayThatItWaits(handle: RequestHandle): Promise<void> {
    const request = await handle.record();
    const { waiting_reason: reason } = request;
    if (reason)
      await this.#update(thought(`${this.#agent.name}: ${waitingWords(request)}: ${reason.detail}`));
  }

  /** Shows the parts of a turn. @param asks whether questions are passed on. @returns how the turn ended; null when the stream did not say. */
  async #show(parts: AsyncIterable<Schemas['TurnPart']>, asks: boolean): Promise<Ended | null> {
    let shown: ShownText = nothingShown;
    const asked = new Map<string, AbortController>();
    try {
      for await (const part of parts) {
        if (part.kind === 'ended') {
          if (shown === nothingShown && part.data.answer)
            await this.#update(messageChunk('agent_message_chunk', part.data.answer.text));
          return part.data;
        }
        if (part.kind === 'text') {
          const next = appended(shown, part.data);
          shown = next.shown;
          if (next.piece !== '') await this.#update(messageChunk('agent_message_chunk', next.piece));
        } else if (part.kind === 'dialog_shown' && asks) {
          const closed = new AbortController();
          asked.set(part.data.dialog_id, closed);
          this.#ask(part.data.dialog_id, closed.signal).catch((error: Error) =>
            this.#update(thought(`The question could not be answered from here: ${error.message}`)),
          );
        } else if (part.kind === 'dialog_closed') asked.get(part.data.dialog_id)?.abort();
        else {
          const update = updateOf(part);
          if (update) await this.#update(update);
        }
      }
      return null;
    } finally {
      for (const closed of asked.values()) closed.abort();
    }
  }

  /** Passes a question on to the person at the client, and its answer to the agent. @param closed the question has left the screen. */
  async #ask(dialogId: string, closed: AbortSignal): Promise<void> {
    const { gateway, name } = this.#agent;
    const { dialog } = await gateway.getDialog();
    if (dialog?.dialog_id !== dialogId || closed.aborted) return;
    if (dialog.choices.length === 0)
      return this.#update(
        thought(
          `${name} asks in its terminal: ${dialog.text}\nAnswer it there: houmao-mgr agents answer ${name}`,
        ),
      );
    const { outcome } = await this.#client.request(
      methods.client.session.requestPermission,
      {
        sessionId: this.id,
        toolCall: {
          toolCallId: dialogId,
          title: dialog.text.trim().split('\n')[0] ?? dialog.kind,
          status: 'pending',
          content: [{ type: 'content', content: { type: 'text', text: dialog.text } }],
        },
        options: permissionOptions(dialog.choices),
      },
      { cancellationSignal: closed },
    );
    const isAnswered = !closed.aborted && outcome.outcome === 'selected';
    if (isAnswered)
      await gateway.answerDialog({ body: { dialog_id: dialogId, choose: Number(outcome.optionId) } });
    await this.#update({ sessionUpdate: 'tool_call_update', toolCallId: dialogId, status: 'completed' });
  }

  #answer(handle: RequestHandle, ended: Ended | null): PromptResponse {
    if (ended === null) {
      const { requestId: request_id } = handle;
      throw RequestError.internalError({ request_id }, `the end of request ${request_id} is not known`);
    }
    this.#conversation ??= ended.provider_session_id;
    const evidence = { request_id: handle.requestId, turn_id: ended.turn_id, delivery: ended.delivery };
    const _meta = { houmao: evidence };
    if (ended.outcome === 'completed') return { stopReason: 'end_turn', _meta };
    if (ended.outcome === 'interrupted') return { stopReason: 'cancelled', _meta };
    throw RequestError.internalError(evidence, ended.error?.detail ?? `the turn ended as ${ended.outcome}`);
  }

  #update(update: SessionUpdate): Promise<void> {
    return this.#client.notify(methods.client.session.update, { sessionId: this.id, update });
  }
}
