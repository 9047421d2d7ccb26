import type { PromptChannel, PromptOptions, Refusal } from './agent-target.js';

/** A terminal has one conversation and one model; only a direct prompt may ask for a fresh conversation. */
export function unfitForTerminal(
  { chatSession, execution }: PromptOptions,
  channel: PromptChannel,
): Refusal | null {
  if (chatSession && !(channel === 'direct' && chatSession.mode === 'new'))
    return {
      code: 'invalid_chat_session',
      detail:
        chatSession.mode === 'new'
          ? "An agent in a terminal has one conversation: a queued prompt cannot begin another. A direct prompt can (POST /v1/control/prompt, chat_session 'new')."
          : `An agent in a terminal has one conversation: chat_session cannot be '${chatSession.mode}' here.`,
    };
  if (execution)
    return {
      code: 'invalid_execution',
      detail: 'The model of an agent in a terminal cannot be chosen per prompt.',
    };
  return null;
}

/** What is typed to make the conversation a fresh one. */
export const resetPrompt = (tool: string): string => (tool === 'codex' ? '/new' : '/clear');
