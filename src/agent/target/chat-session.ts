import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionSelection } from '../../tools/adapter/tool-adapter.js';
import type { PromptChannel, PromptRefusal, PromptSettings } from './agent-target.js';

export const noPinnedConversation = 'The agent has no pinned conversation yet; use mode auto or new.';

/** The settings for conversations in the manifest's headless section. */
export interface ChatDefaults {
  pinned: string | null;
  startup: SessionSelection;
}

/** Reads them from a manifest. */
export function chatDefaultsOf(manifest: Manifest): ChatDefaults {
  const headless = manifest.headless;
  const startup: SessionSelection =
    headless?.resume_selection_kind === 'last'
      ? { mode: 'tool_last_or_new' }
      : headless?.resume_selection_kind === 'exact' && headless.resume_selection_value
        ? { mode: 'exact', id: headless.resume_selection_value }
        : { mode: 'new' };
  return { pinned: headless?.session_id ?? null, startup };
}

/**
 * Chooses the conversation that a headless prompt continues (docs/decisions.md#which-conversation). With `auto`, or no request:
 * the override, else the pinned conversation, else the start-up default.
 */
export function resolveSession(
  asked: PromptSettings['chatSession'],
  defaults: ChatDefaults,
  override: { mode: 'new' } | null,
): SessionSelection | PromptRefusal {
  const pinned: SessionSelection | null =
    defaults.pinned === null ? null : { mode: 'exact', id: defaults.pinned };
  switch (asked?.mode ?? 'auto') {
    case 'new':
      return { mode: 'new' };
    case 'tool_last_or_new':
      return { mode: 'tool_last_or_new' };
    case 'exact':
      return typeof asked?.id === 'string'
        ? { mode: 'exact', id: asked.id }
        : { code: 'invalid_chat_session', detail: "chat_session.id is required for mode 'exact'." };
    case 'current':
      return (
        pinned ?? {
          code: 'missing_current_chat_session',
          detail: noPinnedConversation,
        }
      );
    case 'auto':
      return override ?? pinned ?? defaults.startup;
  }
}

/**
 * Refuses options that a terminal cannot meet: it has one conversation and one model; only a direct prompt may request a fresh
 * conversation.
 */
export function unfitForTerminal(
  { chatSession, execution }: PromptSettings,
  channel: PromptChannel,
): PromptRefusal | null {
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

/** Returns the command that makes the conversation a fresh one. */
export const resetPrompt = (tool: string): string => (tool === 'codex' ? '/new' : '/clear');
