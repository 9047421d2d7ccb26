import type { ChatDefaults } from '../../agent/target/resolve-session.js';
import type { GatewayBody } from '../passing/gateway-calls.js';
import type { AgentSummary } from './agent-summary.js';
import type { SessionTurns, TurnFacts } from './session-turns.js';
import type { TerminalTold } from './terminal-facts.js';
import { turnOfResult } from './turn-words.js';

/** Which conversation of a headless agent comes next. */
export interface ChatSession extends ChatDefaults {
  readonly override: 'new' | null;
}

export interface HeadlessDetail {
  readonly transport: 'headless';
  readonly resumable: boolean;
  readonly tmuxLive: boolean;
  readonly canAcceptPromptNow: boolean;
  readonly interruptible: boolean;
  /** Null where it cannot be read. */
  readonly chat: ChatSession | null;
  readonly active: TurnFacts | null;
  /** The turn that the latest result is of. */
  readonly last: TurnFacts | null;
}

/** How an agent is, with what its transport has beside. */
export interface AgentDetail {
  readonly summary: AgentSummary;
  readonly detail: HeadlessDetail | { readonly transport: 'tui'; readonly terminal: TerminalTold };
}

export interface HeadlessDetailFacts {
  readonly summary: Pick<AgentSummary, 'availability' | 'activeTurnId'>;
  readonly turns: SessionTurns;
  /** What the gateway says, where it answers. */
  readonly gateway: GatewayBody<'getHeadlessState'> | null;
  readonly resumable: boolean;
  readonly tmuxLive: boolean;
  readonly chat: ChatDefaults | null;
}

export function headlessDetail({
  summary,
  turns,
  gateway,
  resumable,
  tmuxLive,
  chat,
}: HeadlessDetailFacts): HeadlessDetail {
  const running = turns.kind === 'known' ? turns.running : null;
  const isActive = summary.activeTurnId !== null;
  // What cannot be read may be a turn that runs.
  const isFree = summary.availability === 'available' && !isActive && turns.kind === 'known';
  return {
    transport: 'headless',
    resumable,
    tmuxLive,
    canAcceptPromptNow: gateway?.can_accept_prompt_now ?? isFree,
    interruptible: gateway?.interruptible ?? isActive,
    chat: gateway ? chatOf(gateway.chat_session) : chat && { ...chat, override: null },
    active: running?.turnId === summary.activeTurnId ? running : null,
    last: turnOfResult(turns),
  };
}

function chatOf({
  current,
  startup_default: { mode, id },
  next_prompt_override,
}: GatewayBody<'getHeadlessState'>['chat_session']): ChatSession {
  return {
    pinned: current?.id ?? null,
    startup: mode === 'exact' ? { mode, id: id ?? '' } : { mode },
    override: next_prompt_override?.mode ?? null,
  };
}
