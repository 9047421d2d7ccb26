import { metadataHeader, metadataText } from '../../contract/prompt-metadata.js';
import { errorCodeHeader } from '../../contract/refusals.js';
import type { OwnServer } from '../calls/answerer.js';
import type { HostLeases } from '../hosts/host-leases.js';
import type { CommandMessage } from './command.js';

/** The answer of this host's own server to a command. */
export interface AdmissionAnswer {
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly detail: string | null;
}

/** Puts commands into the queues of their agents, through this host's own server. */
export class Admission {
  readonly #server: OwnServer;
  readonly #leases: Pick<HostLeases, 'of'>;

  constructor(server: OwnServer, leases: Pick<HostLeases, 'of'>) {
    this.#server = server;
    this.#leases = leases;
  }

  /** Admits a command, once however often it is called. @throws where no answer came */
  async admit(message: CommandMessage, signal: AbortSignal): Promise<AdmissionAnswer> {
    const agent = `/houmao/agents/${encodeURIComponent(message.agent_ref)}`;
    const newer =
      message.epoch === undefined ? null : await this.#newerEpoch(agent, message, message.epoch, signal);
    if (newer !== null) return { status: 409, code: 'held_elsewhere', requestId: null, detail: newer };
    const answer = await this.#ask('POST', `${agent}/gateway/requests`, {
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': message.command_id,
        ...(message.metadata && { [metadataHeader]: metadataText(message.metadata) ?? '' }),
      },
      body: JSON.stringify(message.body),
      signal,
    });
    const { request_id = null, detail } = (await answer.json()) as { request_id?: string; detail?: unknown };
    return {
      status: answer.status,
      code: answer.headers.get(errorCodeHeader),
      requestId: request_id,
      detail: detail === undefined ? null : typeof detail === 'string' ? detail : JSON.stringify(detail),
    };
  }

  /** Returns why a command is of an epoch that is over; null where it is not, or is not known to be. */
  async #newerEpoch(
    path: string,
    { agent_ref }: CommandMessage,
    epoch: number,
    signal: AbortSignal,
  ): Promise<string | null> {
    const answer = await this.#ask('GET', path, { signal });
    const { tracked_agent_id: id } = (await answer.json()) as { tracked_agent_id?: string };
    const lease = id === undefined ? null : this.#leases.of(id);
    return lease?.kind === 'ours' && epoch < lease.epoch
      ? `agent ${agent_ref} was taken over since the prompt was given (epoch ${epoch}, now ${lease.epoch})`
      : null;
  }

  #ask(method: string, path: string, { headers, ...given }: Asked): Promise<Response> {
    const { port, token } = this.#server;
    return fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, Authorization: `Bearer ${token}` },
      ...given,
    });
  }
}

interface Asked {
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
}
