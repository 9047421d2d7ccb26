import type { AgentSummary, Availability } from './agent-summary.js';
import { type Diagnostic, diagnostic } from './diagnostic.js';
import type { SessionTurns } from './session-turns.js';
import { lastTurnOf } from './turn-words.js';

/** Whether a headless agent can run a turn, as this server sees it or as its gateway says. */
export interface RuntimeFacts {
  /** Why it cannot, in a sentence; null where it can. */
  readonly obstacle: string | null;
  /** Whether its tmux session is there; an agent that runs without tmux has what it needs. Null where that cannot be told. */
  readonly tmuxLive: boolean | null;
  readonly tmuxSessionName: string | null;
  /** A gateway's queue waits for reconciliation. */
  readonly blocked: boolean;
}

export interface HeadlessSummaryFacts {
  readonly runtime: RuntimeFacts;
  readonly turns: SessionTurns;
  /** The turn that the gateway has under way; null where no gateway answers, or none is. */
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

function runtimeTrouble({ blocked, obstacle, tmuxLive, tmuxSessionName }: RuntimeFacts): Diagnostic[] {
  const session: Record<string, string> =
    tmuxSessionName === null ? {} : { tmux_session_name: tmuxSessionName };
  return [
    ...(blocked
      ? [
          diagnostic(
            'gateway_reconciliation_required',
            'Queued work for an earlier instance waits for reconciliation.',
          ),
        ]
      : []),
    ...(obstacle === null ? [] : [diagnostic('runtime_resume_unavailable', obstacle)]),
    ...(tmuxLive === false
      ? [diagnostic('tmux_session_missing', "The agent's tmux session does not exist.", session)]
      : []),
    ...(tmuxLive === null
      ? [diagnostic('tmux_probe_error', "It is not known whether the agent's tmux session exists.", session)]
      : []),
  ];
}
