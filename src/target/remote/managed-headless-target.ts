import type { Clock } from '../../foundation/clock.js';
import { readManifest, turnTimeLimitOf } from '../../session/manifest.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { ToolAdapter } from '../../tools/tool-adapter.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../../turn/running-turn.js';
import type {
  AgentTarget,
  Inspection,
  PromptOptions,
  Refusal,
  ResolvedTurn,
  TurnAssignment,
} from '../agent-target.js';
import { notConnected, sessionTrouble } from '../session-trouble.js';
import { ManagedApi } from './managed-api.js';
import { startManagedTurn } from './managed-turn.js';
import { managedAuthorityOf } from './peer-authority.js';
import { PeerFault } from './peer-client.js';
import { noAuthority, stopFailed } from './peer-signs.js';

/**
 * A headless agent whose turns another server runs (gateway §2.7, "server-managed headless"): prompts and interrupts go
 * to that server, which has its own conversations and records. A busy one keeps admission open (decision 61).
 */
export class ManagedHeadlessTarget implements AgentTarget {
  readonly surface = 'headless';
  readonly remote = true;
  readonly #paths: SessionPaths;
  readonly #adapter: ToolAdapter;
  readonly #clock: Clock;

  constructor(paths: SessionPaths, adapter: ToolAdapter, clock: Clock) {
    this.#paths = paths;
    this.#adapter = adapter;
    this.#clock = clock;
  }

  async inspect(): Promise<Inspection> {
    try {
      const { tracked_agent_id, summary_state, detail } = await this.#api().detail();
      if (summary_state.availability !== 'available')
        return notConnected(`The server reports its agent as ${summary_state.availability}.`);
      return {
        connected: true,
        instanceId: tracked_agent_id,
        surface: detail.can_accept_prompt_now ? 'ready' : 'not_ready',
        acceptsPrompts: true,
        detail: null,
      };
    } catch (error) {
      return notConnected(error instanceof PeerFault ? error.message : sessionTrouble(error));
    }
  }

  resolve(
    options: PromptOptions,
    { override }: { override: { mode: 'new' } | null },
  ): ResolvedTurn | Refusal {
    try {
      const manifest = readManifest(this.#paths.manifest);
      if (!managedAuthorityOf(manifest)) return noAuthority;
      const asked = options.chatSession;
      const chatSession = override && (asked?.mode ?? 'auto') === 'auto' ? override : asked;
      const { name, reasoning } = options.execution?.model ?? {};
      return {
        options: { ...options, chatSession },
        session: chatSession?.mode === 'new' ? { mode: 'new' } : { mode: 'tool_last_or_new' },
        model: { name: name ?? null, reasoningLevel: reasoning?.level ?? null },
        timeLimitSeconds: turnTimeLimitOf(manifest),
      };
    } catch (error) {
      return { code: 'unavailable', detail: sessionTrouble(error) };
    }
  }

  check({ execution }: PromptOptions): Refusal | null {
    const level = execution?.model.reasoning?.level ?? null;
    if (level === null) return null;
    const choice = this.#adapter.reasoning(level, execution?.model.name?.trim() ?? null);
    return choice.ok ? null : { code: 'invalid_execution', detail: choice.reason };
  }

  start(assignment: TurnAssignment, observer: TurnObserver): RunningTurn {
    return startManagedTurn(() => this.#api(), assignment, this.#adapter, observer, this.#clock);
  }

  async interrupt(): Promise<StopOutcome> {
    try {
      return (await this.#api().interrupt()) ? { outcome: 'stopped', signal: null } : { outcome: 'no_op' };
    } catch (error) {
      return stopFailed(error);
    }
  }

  /** The server keeps its own conversations. */
  settle(): void {}

  /** Read afresh each time. */
  #api(): ManagedApi {
    const authority = managedAuthorityOf(readManifest(this.#paths.manifest));
    if (!authority) throw new PeerFault('unreachable', noAuthority.detail);
    return new ManagedApi(authority);
  }
}
