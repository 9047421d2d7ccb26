import type { ChatDefaults } from '../../agent/target/chat-session.js';
import type { GatewayBody } from '../forwarding/gateway-calls.js';
import { type AgentSummary, type Availability, type Diagnostic, diagnostic } from './agent-summary.js';
import { lastTurnOf, type SessionTurns, type TurnFacts, turnOfResult } from './session-turns.js';
import type { TerminalReport } from './terminal-facts.js';

/** The choice of a headless agent's next conversation. */
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
  /** The turn of the latest result. */
  readonly last: TurnFacts | null;
}

/** The state of an agent, with the details of its transport. */
export interface AgentDetail {
  readonly summary: AgentSummary;
  readonly detail: HeadlessDetail | { readonly transport: 'tui'; readonly terminal: TerminalReport };
}

export interface HeadlessDetailFacts {
  readonly summary: Pick<AgentSummary, 'availability' | 'activeTurnId'>;
  readonly turns: SessionTurns;
  /** The state that the gateway reports; null where it does not answer. */
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
  // Turns that cannot be read may include one that runs.
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

/** The facts that decide whether a headless agent can run a turn, observed by this server or reported by its gateway. */
export interface RuntimeFacts {
  /** The reason why it cannot, in a sentence; null where it can. */
  readonly obstacle: string | null;
  /** Whether its tmux session exists; an agent that runs without tmux has what it needs. Null where that is unknown. */
  readonly tmuxLive: boolean | null;
  readonly tmuxSessionName: string | null;
  /** Whether a gateway's queue waits for reconciliation. */
  readonly blocked: boolean;
}

interface HeadlessSummaryFacts {
  readonly runtime: RuntimeFacts;
  readonly turns: SessionTurns;
  /** The turn that the gateway has under way; null where no gateway answers, or no turn is under way. */
  readonly gatewayTurnId: string | null;
  readonly gatewayTrouble: readonly Diagnostic[];
}

type Summed = Pick<AgentSummary, 'availability' | 'phase' | 'activeTurnId' | 'lastTurn' | 'diagnostics'>;

export function headlessSummary({
  runtime,
  turns,
  gatewayTurnId,
  gatewayTrouble,
}: HeadlessSummaryFacts): Summed {
  const availability = availabilityOf(runtime);
  const activeTurnId = gatewayTurnId ?? (turns.kind === 'known' ? (turns.running?.turnId ?? null) : null);
  const unread = turns.kind === 'unknown' ? [diagnostic('turn_records_unreadable', turns.detail)] : [];
  const isReady = availability === 'available' && turns.kind === 'known';
  return {
    availability,
    phase: activeTurnId !== null ? 'active' : isReady ? 'ready' : 'unknown',
    activeTurnId,
    lastTurn: lastTurnOf(turns),
    diagnostics: [...runtimeTrouble(runtime), ...unread, ...gatewayTrouble],
  };
}

function availabilityOf({ blocked, obstacle, tmuxLive }: RuntimeFacts): Availability {
  if (blocked) return 'error';
  if (obstacle !== null || tmuxLive === false) return 'unavailable';
  return tmuxLive === null ? 'error' : 'available';
}

/** The reason of an agent that was replaced, as a sentence. */
export const waitsForReconciliation = 'Queued work for an earlier instance waits for reconciliation.';

function runtimeTrouble({ blocked, obstacle, tmuxLive, tmuxSessionName }: RuntimeFacts): Diagnostic[] {
  const session: Record<string, string> =
    tmuxSessionName === null ? {} : { tmux_session_name: tmuxSessionName };
  return [
    ...(blocked ? [diagnostic('gateway_reconciliation_required', waitsForReconciliation)] : []),
    ...(obstacle === null ? [] : [diagnostic('runtime_resume_unavailable', obstacle)]),
    ...(tmuxLive === false
      ? [diagnostic('tmux_session_missing', "The agent's tmux session does not exist.", session)]
      : []),
    ...(tmuxLive === null
      ? [diagnostic('tmux_probe_error', "It is not known whether the agent's tmux session exists.", session)]
      : []),
  ];
}
