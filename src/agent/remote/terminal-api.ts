import { Type } from '@sinclair/typebox';
import type { Backend } from '../../session/manifest-schema.js';
import type { TerminalAuthority } from './peer-authority.js';
import { askPeer, PeerFault } from './peer-client.js';

/** The activity of the terminal, as the server reports it; null if it reports none. */
export type TerminalStatus = string | null;

/**
 * Decides whether a prompt may be typed now (docs/decisions.md#ready-terminals). A terminal whose server reports no status counts
 * as ready.
 */
export const isReady = (status: TerminalStatus): boolean =>
  status === null || status === 'idle' || status === 'completed';

const Terminal = Type.Object({ status: Type.Optional(Type.Union([Type.String(), Type.Null()])) });
const Done = Type.Object({ success: Type.Boolean() });

const lookUpMilliseconds = 5000;
/** The server types the prompt before it answers. */
const actMilliseconds = 15_000;

/** The terminal routes of a CAO server, or of a Houmao server, which has them under `/cao`. */
export class TerminalApi {
  readonly #base: string;
  readonly #path: string;

  constructor(backend: Backend, authority: TerminalAuthority) {
    const prefix = backend === 'houmao_server_rest' ? '/cao' : '';
    this.#base = authority.baseUrl;
    this.#path = `${prefix}/terminals/${encodeURIComponent(authority.terminalId)}`;
  }

  /** @throws {PeerFault} */
  async status(): Promise<TerminalStatus> {
    const call = {
      base: this.#base,
      method: 'GET',
      path: this.#path,
      timeoutMs: lookUpMilliseconds,
    } as const;
    const { status } = await askPeer(call, Terminal);
    return status ?? null;
  }

  /** Types a message and submits it. @throws {PeerFault} also if the server reports that it failed. */
  async input(message: string): Promise<void> {
    await this.#act(`/input?message=${encodeURIComponent(message)}`);
  }

  /** Interrupts any work of the terminal. @throws {PeerFault} */
  async exit(): Promise<void> {
    await this.#act('/exit');
  }

  async #act(action: string): Promise<void> {
    const call = {
      base: this.#base,
      method: 'POST',
      path: `${this.#path}${action}`,
      timeoutMs: actMilliseconds,
    } as const;
    const { success } = await askPeer(call, Done);
    if (!success) throw new PeerFault('refused', 'The server of the terminal answered success=false.');
  }
}
