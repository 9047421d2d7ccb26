import type { Clock } from '../../foundation/clock.js';
import { readManifest, turnTimeLimitOf } from '../../session/manifest.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../../turn/running-turn.js';
import { noSigns, type TurnSigns } from '../../turn/turn-signs.js';
import type {
  AgentTarget,
  Inspection,
  PromptDoor,
  PromptOptions,
  Refusal,
  ResolvedTurn,
  TurnAssignment,
} from '../agent-target.js';
import { notConnected, sessionTrouble } from '../session-trouble.js';
import { terminalAuthorityOf } from './peer-authority.js';
import { PeerFault } from './peer-client.js';
import { failedUnsent, handOverFailed, neverSent, noAuthority, stopFailed } from './peer-signs.js';
import { isReady, TerminalApi, type TerminalStatus } from './terminal-api.js';

/** How long the terminal may take to show that it works on a prompt. */
const confirmMilliseconds = 5000;
/** How long a fresh conversation may take until it is ready (gateway §5.3). */
const resetMilliseconds = 15_000;
const lookAgainMilliseconds = 200;

/**
 * An agent in a terminal that another server owns: backends `cao_rest` and `houmao_server_rest` (gateway §2.7). A turn
 * is the handing over of a prompt: it ends when the terminal shows that it works on it, or stays silent about it. The
 * next prompt waits until the terminal is ready again.
 */
export class RestTerminalTarget implements AgentTarget {
  readonly surface = 'tui';
  readonly remote = true;
  readonly #paths: SessionPaths;
  readonly #clock: Clock;

  constructor(paths: SessionPaths, clock: Clock) {
    this.#paths = paths;
    this.#clock = clock;
  }

  async inspect(): Promise<Inspection> {
    try {
      const authority = terminalAuthorityOf(readManifest(this.#paths.manifest));
      if (!authority) return notConnected(noAuthority.detail);
      const status = await this.#api().status();
      const surface = isReady(status) ? 'ready' : 'not_ready';
      return {
        connected: true,
        instanceId: authority.terminalId,
        surface,
        acceptsPrompts: true,
        detail: null,
      };
    } catch (error) {
      return notConnected(error instanceof PeerFault ? error.message : sessionTrouble(error));
    }
  }

  resolve(options: PromptOptions): ResolvedTurn | Refusal {
    try {
      const manifest = readManifest(this.#paths.manifest);
      if (!terminalAuthorityOf(manifest)) return noAuthority;
      return {
        options,
        session: options.chatSession?.mode === 'new' ? { mode: 'new' } : { mode: 'tool_last_or_new' },
        model: { name: null, reasoningLevel: null },
        timeLimitSeconds: turnTimeLimitOf(manifest),
      };
    } catch (error) {
      return { code: 'unavailable', detail: sessionTrouble(error) };
    }
  }

  /** A terminal has one conversation and one model; only a direct prompt may ask for a fresh one (gateway §2.3, §5.1). */
  check({ chatSession, execution }: PromptOptions, door: PromptDoor): Refusal | null {
    if (chatSession && !(door === 'direct' && chatSession.mode === 'new')) {
      return {
        code: 'invalid_chat_session',
        detail: `An agent in a terminal has one conversation: chat_session cannot be '${chatSession.mode}' here.`,
      };
    }
    if (execution)
      return {
        code: 'invalid_execution',
        detail: 'The model of an agent in a terminal cannot be chosen per prompt.',
      };
    return null;
  }

  start(assignment: TurnAssignment, observer: TurnObserver): RunningTurn {
    const stopping = new AbortController();
    const ended = this.#handOver(assignment, observer, stopping.signal).catch(handOverFailed);
    return {
      ended,
      stop: async () => {
        stopping.abort();
        const outcome = await this.interrupt();
        await ended;
        return outcome;
      },
    };
  }

  async interrupt(): Promise<StopOutcome> {
    try {
      await this.#api().exit();
      return { outcome: 'stopped', signal: null };
    } catch (error) {
      return stopFailed(error);
    }
  }

  settle(): void {}

  async #handOver(
    { session, prompt }: TurnAssignment,
    observer: TurnObserver,
    stopped: AbortSignal,
  ): Promise<TurnSigns> {
    const api = this.#api();
    if (session.mode === 'new') {
      const fault = await this.#startAfresh(api, stopped);
      if (fault) return fault;
    }
    let before: TerminalStatus;
    try {
      before = await api.status();
    } catch (error) {
      return failedUnsent(error);
    }
    if (stopped.aborted) return neverSent;
    await api.input(prompt);
    observer.handedOver('the server of the terminal took the prompt (success=true)');
    const seen = before === null ? null : await this.#changeOf(api, before, stopped);
    if (seen !== null) observer.confirmed(`after taking the prompt the terminal reported status=${seen}`);
    return {
      ...noSigns,
      told: { outcome: 'completed', error: null },
      deliveryUnknown:
        before === null
          ? 'the server took the prompt; it does not report what its terminal does'
          : `the server took the prompt; its terminal showed no change within ${confirmMilliseconds / 1000} s`,
    };
  }

  /** @returns why the prompt was not sent after all; null when the conversation is fresh and ready. */
  async #startAfresh(api: TerminalApi, stopped: AbortSignal): Promise<TurnSigns | null> {
    const { tool } = readManifest(this.#paths.manifest);
    try {
      await api.input(tool === 'codex' ? '/new' : '/clear');
      const deadline = this.#clock.monotonic() + resetMilliseconds;
      do {
        await this.#clock.sleep(lookAgainMilliseconds, stopped);
        if (stopped.aborted) return neverSent;
        if (isReady(await api.status())) return null;
      } while (this.#clock.monotonic() < deadline);
      throw new PeerFault(
        'silent',
        'The terminal was not ready within 15 s after the conversation was reset.',
      );
    } catch (error) {
      // Whatever became of the reset, the prompt itself was not sent.
      return failedUnsent(error);
    }
  }

  /** The status that shows that the terminal took the prompt; null when nothing shows it. */
  async #changeOf(api: TerminalApi, before: string, stopped: AbortSignal): Promise<string | null> {
    const deadline = this.#clock.monotonic() + confirmMilliseconds;
    while (!stopped.aborted && this.#clock.monotonic() < deadline) {
      // It has the prompt already: that it cannot be asked any more changes only what is known.
      const status = await api.status().catch(() => before);
      if (status !== null && (status === 'processing' || status !== before)) return status;
      await this.#clock.sleep(lookAgainMilliseconds, stopped);
    }
    return null;
  }

  /** Read afresh each time: another terminal may have taken the place of this one. */
  #api(): TerminalApi {
    const manifest = readManifest(this.#paths.manifest);
    const authority = terminalAuthorityOf(manifest);
    if (!authority) throw new PeerFault('unreachable', noAuthority.detail);
    return new TerminalApi(manifest.backend, authority);
  }
}
