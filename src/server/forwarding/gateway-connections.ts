import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { GatewayFault, type GatewayTrouble } from './gateway-fault.js';

/** One HTTP call to a gateway of this machine. */
export interface GatewayCall {
  readonly port: number;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The path, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string | null;
  /** The time limit of the whole call. */
  readonly milliseconds: number;
  readonly signal: AbortSignal | null;
}

/** The response, whatever its status. The names of headers are in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The longest answer that is read. A history of a thousand screens has a third of it. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** The limits of undici for answers are off, because each call has its own. */
const settings = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 5000 } } as const;

/**
 * The connections to all gateways, kept open between calls. A call by `fetch` costs the processor four times as much
 * (docs/performance.md#calls-that-the-server-passes-on), so undici is used without it.
 */
export class GatewayConnections {
  readonly #dispatcher: Dispatcher;

  /** @param obeysProxyVariables true for `HOUMAO_GATEWAY_RESPECT_PROXY_ENV=1`; otherwise no proxy is used. */
  constructor(obeysProxyVariables: boolean) {
    this.#dispatcher = obeysProxyVariables ? new EnvHttpProxyAgent(settings) : new Agent(settings);
  }

  /** @throws {GatewayFault} and nothing else. */
  exchange(call: GatewayCall): Promise<RawAnswer> {
    if (call.signal?.aborted) return Promise.reject(new GatewayFault('aborted'));
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(call, resolve, reject);
      const { method, path, headers, body } = call;
      this.#dispatcher.dispatch({ origin: originOf(call), method, path, headers, body }, exchange);
    });
  }

  /** Ends every call that is under way. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

const originOf = ({ port }: GatewayCall): string => `http://127.0.0.1:${port}`;

/** Collects one answer. Ends with the first of these: the answer, its time limit, an abort by its caller, a lost connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: RawAnswer) => void;
  readonly #reject: (fault: GatewayFault) => void;
  readonly #signal: AbortSignal | null;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  readonly #onAbort = (): void => this.#end('aborted');
  #controller: Dispatcher.DispatchController | null = null;
  #ended: GatewayTrouble | null = null;
  #bytes = 0;
  #status = 0;
  #headers: RawAnswer['headers'] = {};

  constructor(
    { milliseconds, signal }: GatewayCall,
    resolve: (answer: RawAnswer) => void,
    reject: (fault: GatewayFault) => void,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#end('silent'), milliseconds);
    signal?.addEventListener('abort', this.#onAbort);
  }

  /** From here on the call is on its way to the gateway. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call reached its time limit, or its caller left, while it waited for a connection: it is not sent any more.
    if (this.#ended) controller.abort(new GatewayFault(this.#ended));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: RawAnswer['headers'],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > maxAnswerBytes) this.#end('invalid_answer');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle();
    const [only] = this.#chunks;
    const text = only && this.#chunks.length === 1 ? only.toString() : Buffer.concat(this.#chunks).toString();
    this.#resolve({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(): void {
    this.#settle();
    this.#reject(new GatewayFault(this.#ended ?? (this.#controller ? 'lost' : 'unreachable')));
  }

  #end(trouble: GatewayTrouble): void {
    if (this.#ended) return;
    this.#settle();
    this.#ended = this.#controller || trouble === 'aborted' ? trouble : 'unreachable';
    this.#controller?.abort(new GatewayFault(this.#ended));
    this.#reject(new GatewayFault(this.#ended));
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
