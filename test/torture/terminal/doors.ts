import { randomUUID } from 'node:crypto';
import type { Answer as HttpAnswer } from '../../support/http.js';
import type { Answer, SentPrompt } from './facts.js';
import type { PlannedPrompt } from './scenario.js';
import type { TorturedAgent } from './tortured-agent.js';

/** A prompt on its way, or answered. */
export interface Sending extends PlannedPrompt {
  answer: Answer;
  /** So long the answer took. */
  milliseconds: number;
  /** Makes it repeatable. */
  idempotencyKey: string;
}

export const toBeSent = (prompt: PlannedPrompt): Sending => ({
  ...prompt,
  answer: { kind: 'none' },
  milliseconds: 0,
  idempotencyKey: randomUUID(),
});

/** Sends a prompt through its door. A request may be sent again where its answer was lost. */
export async function send(agent: TorturedAgent, sending: Sending): Promise<void> {
  const { door, prompt, forced, tag, idempotencyKey } = sending;
  const begun = performance.now();
  if (door === 'request') {
    const body = { kind: 'submit_prompt', payload: { prompt } };
    const answer = await agent.ask('POST', '/v1/requests', body, { 'Idempotency-Key': idempotencyKey });
    sending.answer = answerOf(answer, 202, ({ body: reported }) => ({
      kind: 'accepted',
      id: reported.request_id,
    }));
  } else if (door === 'direct') {
    const answer = await agent.ask('POST', '/v1/control/prompt', { prompt, force: forced });
    sending.answer = answerOf(answer, 200, ({ headers }) => ({
      kind: 'sent',
      turnId: headers.get('x-houmao-turn-id') ?? '',
    }));
  } else {
    const reminder = { mode: 'one_off', title: tag, prompt, ranking: 0, start_after_seconds: 0.01 };
    const answer = await agent.ask('POST', '/v1/reminders', { schema_version: 1, reminders: [reminder] });
    sending.answer = answerOf(answer, 200, ({ body }) => ({
      kind: 'accepted',
      id: body.reminders[0].reminder_id,
    }));
  }
  sending.milliseconds = performance.now() - begun;
}

export const sent = ({ idempotencyKey: _key, ...prompt }: Sending): SentPrompt => prompt;

/** @returns true when the gateway took the interrupt. */
export async function askInterrupt(agent: TorturedAgent): Promise<boolean> {
  const answer = await agent.ask('POST', '/v1/requests', { kind: 'interrupt', payload: {} });
  return answer?.status === 202;
}

function answerOf(answer: HttpAnswer | null, good: number, read: (answer: HttpAnswer) => Answer): Answer {
  if (answer === null) return { kind: 'none' };
  if (answer.status === good) return read(answer);
  const { detail } = answer.body ?? {};
  const text = typeof detail === 'string' ? detail : (detail?.detail ?? JSON.stringify(answer.body));
  return {
    kind: 'refused',
    status: answer.status,
    code: detail?.error_code ?? String(answer.status),
    detail: text ?? '',
  };
}
