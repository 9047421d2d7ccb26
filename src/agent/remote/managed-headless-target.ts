import type { Clock } from '../../foundation/clock.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../../run/running-turn.js';
import { readManifest } from '../../session/manifest.js';
import { turnTimeLimitOf } from '../../session/manifest-facts.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { ToolAdapter } from '../../tools/adapter/tool-adapter.js';
import {
  type AgentInspection,
  type AgentTarget,
  notConnected,
  type PromptRefusal,
  type PromptSettings,
  type ResolvedTurn,
  sessionTrouble,
  type TurnToAdopt,
} from '../target/agent-target.js';
import { ManagedApi } from './managed-api.js';
import { startManagedTurn } from './managed-turn.js';
import { managedAuthorityOf } from './peer-authority.js';
import { noAuthority, PeerFault, stopFailed } from './peer-client.js';

/**
 * A headless agent whose turns another server runs: prompts and interrupts go to that server, which has its own
 * conversations and records. While it is busy, admission stays open (docs/decisions.md#busy-servers).
 */
export class ManagedHeadlessTarget implements AgentTarget {
  readonly capabilities = { prompts: 'available', keys: 'none', screen: 'none' } as const;
  readonly remote = true;
  readonly interactive = false;
  readonly terminal = null;
  readonly #paths: SessionPaths;
  readonly #adapter: ToolAdapter;
  readonly #clock: Clock;

  constructor(paths: SessionPaths, adapter: ToolAdapter, clock: Clock) {
    this.#paths = paths;
    this.#adapter = adapter;
    this.#clock = clock;
  }

  async inspect(): Promise<AgentInspection> {
    try {
      const { tracked_agent_id, summary_state, detail } = await this.#api().detail();
      if (summary_state.availability !== 'available')
        return notConnected(`The server reports its agent as ${summary_state.availability}.`);
      return {
        connected: true,
        instanceId: tracked_agent_id,
        surface: detail.can_accept_prompt_now ? 'ready' : 'not_ready',
        reasons: [],
        acceptsPrompts: true,
        detail: null,
      };
    } catch (error) {
      return notConnected(error instanceof PeerFault ? error.message : sessionTrouble(error));
    }
  }

  resolve(
    options: PromptSettings,
    { override }: { override: { mode: 'new' } | null },
  ): ResolvedTurn | PromptRefusal {
    try {
      const manifest = readManifest(this.#paths.manifest);
      const authority = managedAuthorityOf(manifest);
      if (!authority) return noAuthority;
      const asked = options.chatSession;
      const chatSession = override && (asked?.mode ?? 'auto') === 'auto' ? override : asked;
      const { name, reasoning } = options.execution?.model ?? {};
      const forwarded = { ...options, chatSession };
      return {
        session: chatSession?.mode === 'new' ? { mode: 'new' } : { mode: 'tool_last_or_new' },
        model: { name: name ?? null, reasoningLevel: reasoning?.level ?? null },
        timeLimitSeconds: turnTimeLimitOf(manifest),
        start: (assignment, observer) =>
          startManagedTurn({
            api: new ManagedApi(authority),
            assignment,
            options: forwarded,
            observer,
            adopted: false,
            adapter: this.#adapter,
            clock: this.#clock,
          }),
      };
    } catch (error) {
      return { code: 'unavailable', detail: sessionTrouble(error) };
    }
  }

  check({ execution }: PromptSettings): PromptRefusal | null {
    const level = execution?.model.reasoning?.level ?? null;
    if (level === null) return null;
    const choice = this.#adapter.reasoning(level, execution?.model.name?.trim() ?? null);
    return choice.ok ? null : { code: 'invalid_execution', detail: choice.reason };
  }

  async interrupt(): Promise<StopOutcome> {
    try {
      return (await this.#api().interrupt()) ? { outcome: 'stopped', signal: null } : { outcome: 'no_op' };
    } catch (error) {
      return stopFailed(error);
    }
  }

  adopt({ turnId }: TurnToAdopt, observer: TurnObserver): RunningTurn {
    return startManagedTurn({
      api: this.#api(),
      assignment: { turnId, prompt: '' },
      adopted: true,
      observer,
      options: { chatSession: null, execution: null },
      adapter: this.#adapter,
      clock: this.#clock,
    });
  }

  /** The server keeps its own conversations. */
  settle(): void {}

  /** Reads the manifest again each time. */
  #api(): ManagedApi {
    const authority = managedAuthorityOf(readManifest(this.#paths.manifest));
    if (!authority) throw new PeerFault('unreachable', noAuthority.detail);
    return new ManagedApi(authority);
  }
}
