import type { Clock } from '../../foundation/clock.js';
import {
  noSigns,
  type RunningTurn,
  type StopOutcome,
  type TurnObserver,
  type TurnSigns,
} from '../../run/running-turn.js';
import { readManifest } from '../../session/manifest.js';
import { turnTimeLimitOf } from '../../session/manifest-facts.js';
import type { SessionPaths } from '../../session/session-paths.js';
import {
  type AgentInspection,
  type AgentTarget,
  notConnected,
  type PromptChannel,
  type PromptRefusal,
  type PromptSettings,
  type ResolvedTurn,
  sessionTrouble,
} from '../target/agent-target.js';
import { resetPrompt, unfitForTerminal } from '../target/chat-session.js';
import { terminalAuthorityOf } from './peer-authority.js';
import {
  failedUnsent,
  handOverFailed,
  neverSent,
  noAuthority,
  PeerFault,
  stopFailed,
} from './peer-client.js';
import { isReady, TerminalApi, type TerminalStatus } from './terminal-api.js';

/** The time limit for the terminal to show that it works on a prompt. */
const confirmMilliseconds = 5000;
/** The time limit for a reset terminal to be ready. */
const resetMilliseconds = 15_000;
const pollMilliseconds = 200;

/**
 * An agent in a terminal that another server owns: backends `cao_rest` and `houmao_server_rest`. A turn here is only
 * the delivery of a prompt: it ends when the terminal shows that it works on the prompt, or when it has shown nothing
 * in time. The next prompt waits until the terminal is ready again.
 */
export class RestTerminalTarget implements AgentTarget {
  readonly capabilities = { prompts: 'available', keys: 'none', screen: 'none' } as const;
  readonly remote = true;
  readonly interactive = false;
  readonly terminal = null;
  readonly #paths: SessionPaths;
  readonly #clock: Clock;

  constructor(paths: SessionPaths, clock: Clock) {
    this.#paths = paths;
    this.#clock = clock;
  }

  async inspect(): Promise<AgentInspection> {
    try {
      const authority = terminalAuthorityOf(readManifest(this.#paths.manifest));
      if (!authority) return notConnected(noAuthority.detail);
      const status = await this.#api().status();
      const surface = isReady(status) ? 'ready' : 'not_ready';
      return {
        connected: true,
        instanceId: authority.terminalId,
        surface,
        reasons: [],
        acceptsPrompts: true,
        detail: null,
      };
    } catch (error) {
      return notConnected(error instanceof PeerFault ? error.message : sessionTrouble(error));
    }
  }

  resolve(options: PromptSettings): ResolvedTurn | PromptRefusal {
    try {
      const manifest = readManifest(this.#paths.manifest);
      const authority = terminalAuthorityOf(manifest);
      if (!authority) return noAuthority;
      const afresh = options.chatSession?.mode === 'new';
      return {
        session: afresh ? { mode: 'new' } : { mode: 'tool_last_or_new' },
        model: { name: null, reasoningLevel: null },
        timeLimitSeconds: turnTimeLimitOf(manifest),
        start: ({ prompt }, observer) => {
          const api = new TerminalApi(manifest.backend, authority);
          return this.#start(api, afresh ? resetPrompt(manifest.tool) : null, prompt, observer);
        },
      };
    } catch (error) {
      return { code: 'unavailable', detail: sessionTrouble(error) };
    }
  }

  check(options: PromptSettings, channel: PromptChannel): PromptRefusal | null {
    return unfitForTerminal(options, channel);
  }

  async interrupt(): Promise<StopOutcome> {
    return interruptWith(() => this.#api());
  }

  /** Returns null: only the process that sent the prompt knows whether the server took it. */
  adopt(): null {
    return null;
  }

  settle(): void {}

  /** @param reset the command that makes the conversation a fresh one, typed first; null to continue the conversation. */
  #start(api: TerminalApi, reset: string | null, prompt: string, observer: TurnObserver): RunningTurn {
    const stopping = new AbortController();
    let left = false;
    const ended = this.#handOver(api, reset, prompt, observer, stopping.signal)
      .catch(handOverFailed)
      .then((signs) => (left ? null : signs));
    return {
      ended,
      stop: async () => {
        stopping.abort();
        const outcome = await interruptWith(() => api);
        await ended;
        return outcome;
      },
      leave: () => {
        left = true;
        stopping.abort();
      },
    };
  }

  async #handOver(
    api: TerminalApi,
    reset: string | null,
    prompt: string,
    observer: TurnObserver,
    stopped: AbortSignal,
  ): Promise<TurnSigns> {
    if (reset !== null) {
      const fault = await this.#resetConversation(api, reset, stopped);
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
    const unknown =
      before === null
        ? 'the server took the prompt; it does not report what its terminal does'
        : await this.#confirm(api, before, observer, stopped);
    return { ...noSigns, reportedOutcome: { outcome: 'completed', error: null }, outcomeUnknown: unknown };
  }

  /** @returns why the prompt was not sent; null if the conversation is fresh and ready. */
  async #resetConversation(api: TerminalApi, reset: string, stopped: AbortSignal): Promise<TurnSigns | null> {
    try {
      await api.input(reset);
      const deadline = this.#clock.monotonic() + resetMilliseconds;
      do {
        await this.#clock.sleep(pollMilliseconds, stopped);
        if (stopped.aborted) return neverSent;
        if (isReady(await api.status())) return null;
      } while (this.#clock.monotonic() < deadline);
      throw new PeerFault(
        'silent',
        'The terminal was not ready within 15 s after the conversation was reset.',
      );
    } catch (error) {
      // Whether or not the reset worked, the prompt itself was not sent.
      return failedUnsent(error);
    }
  }

  /**
   * Waits for a status that shows that the terminal took the prompt. A terminal in status `error` shows nothing of the kind.
   * @returns why the outcome is unknown; null if the terminal took the prompt.
   */
  async #confirm(
    api: TerminalApi,
    before: string,
    observer: TurnObserver,
    stopped: AbortSignal,
  ): Promise<string | null> {
    const deadline = this.#clock.monotonic() + confirmMilliseconds;
    let failed = false;
    while (!stopped.aborted && this.#clock.monotonic() < deadline) {
      // The terminal already has the prompt: a failing status call only leaves the status unknown.
      const status = await api.status().catch(() => before);
      failed ||= status === 'error';
      if (status !== null && status !== 'error' && (status === 'processing' || status !== before)) {
        observer.confirmed(`after taking the prompt the terminal reported status=${status}`);
        return null;
      }
      await this.#clock.sleep(pollMilliseconds, stopped);
    }
    return failed
      ? 'the server took the prompt; its terminal then reported status=error'
      : `the server took the prompt; its terminal showed no change within ${confirmMilliseconds / 1000} s`;
  }

  /** Reads the manifest again each time: another terminal may have replaced this one. */
  #api(): TerminalApi {
    const manifest = readManifest(this.#paths.manifest);
    const authority = terminalAuthorityOf(manifest);
    if (!authority) throw new PeerFault('unreachable', noAuthority.detail);
    return new TerminalApi(manifest.backend, authority);
  }
}

async function interruptWith(find: () => TerminalApi): Promise<StopOutcome> {
  try {
    await find().exit();
    return { outcome: 'stopped', signal: null };
  } catch (error) {
    return stopFailed(error);
  }
}
