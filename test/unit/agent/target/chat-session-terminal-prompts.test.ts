import { expect, test } from 'vitest';
import { unfitForTerminal } from '../../../../src/agent/target/chat-session.js';

const fresh = { chatSession: { mode: 'new' }, execution: null } as const;

test('a fresh conversation is for direct prompts, and a refusal says so', () => {
  expect(unfitForTerminal(fresh, 'direct')).toBeNull();
  expect(unfitForTerminal(fresh, 'queue')).toEqual({
    code: 'invalid_chat_session',
    detail:
      "An agent in a terminal has one conversation: a queued prompt cannot begin another. A direct prompt can (POST /v1/control/prompt, chat_session 'new').",
  });
});

test('another conversation is for nobody', () => {
  const current = { chatSession: { mode: 'current' }, execution: null } as const;
  for (const channel of ['direct', 'queue'] as const)
    expect(unfitForTerminal(current, channel)?.detail).toBe(
      "An agent in a terminal has one conversation: chat_session cannot be 'current' here.",
    );
});
