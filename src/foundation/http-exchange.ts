import type { Dispatcher } from 'undici';
import { type ConnectionSettings, createDispatcher } from '#dispatcher';
import { ExchangeFault, type ExchangeTrouble } from './exchange-fault.js';

/** One HTTP call. */
export interface HttpCall {
  /** Scheme, host and port, such as `http://127.0.0.1:9889`. */
  readonly origin: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The path, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string | null;
  /** The time limit of the whole call; null if only `signal` ends it. */
  readonly milliseconds: number | null;
  readonly signal: AbortSignal | null;
  /** The longest answer that is read, in bytes. */
  readonly longestAnswer: number;
  /** Whether the beginning of an answer is enough: what is too long, or does not come in time, is left out. */
  readonly takesBeginning?: boolean;
}

/** The response, whatever its status. The names of headers are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * The connections of a program to others. A call by `fetch` costs the processor four times as much
 * (docs/performance.md#calls-that-the-server-passes-on), so undici is used without it.
 */
export class HttpConnections {
  readonly #dispatcher: Dispatcher;

  constructor(obeysProxyVariables: boolean, settings: ConnectionSettings) {
    this.#dispatcher = createDispatcher(obeysProxyVariables, settings);
  }

  /** @throws {ExchangeFault} and nothing else. */
  exchange(call: HttpCall): Promise<HttpAnswer> {
    if (call.signal?.aborted) return Promise.reject(new ExchangeFault('aborted'));
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(call, resolve, reject);
      const { origin, method, path, headers, body } = call;
      this.#dispatcher.dispatch({ origin, method, path, headers, body }, exchange);
    });
  }

  /** Ends every call that is under way. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

/** Collects one answer. Ends with the first of these: the answer, its time limit, an abort by its caller, a lost connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (fault: ExchangeFault) => void;
  readonly #signal: AbortSignal | null;
  readonly #longestAnswer: number;
  readonly #takesBeginning: boolean;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #chunks: Buffer[] = [];
  readonly #onAbort = (): void => this.#end('aborted');
  #controller: Dispatcher.DispatchController | null = null;
  #ended: ExchangeFault | null = null;
  #bytes = 0;
  #status = 0;
  #headers: HttpAnswer['headers'] = {};

  constructor(
    { milliseconds, signal, longestAnswer, takesBeginning = false }: HttpCall,
    resolve: (answer: HttpAnswer) => void,
    reject: (fault: ExchangeFault) => void,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.#longestAnswer = longestAnswer;
    this.#takesBeginning = takesBeginning;
    this.#timer = milliseconds === null ? undefined : setTimeout(() => this.#end('silent'), milliseconds);
    signal?.addEventListener('abort', this.#onAbort);
  }

  /** From here on the call is on its way. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call reached its time limit, or its caller left, while it waited for a connection: it is not sent any more.
    if (this.#ended) controller.abort(this.#ended);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpAnswer['headers'],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#longestAnswer) this.#chunks.push(chunk);
    else this.#end('invalid_answer');
  }

  onResponseEnd(): void {
    this.#settle();
    this.#answer();
  }

  #answer(): void {
    const [only] = this.#chunks;
    const text = only && this.#chunks.length === 1 ? only.toString() : Buffer.concat(this.#chunks).toString();
    this.#resolve({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle();
    if (this.#takesBeginning && this.#status !== 0) this.#answer();
    else this.#reject(this.#ended ?? faultOf(this.#controller !== null, error));
  }

  #end(trouble: ExchangeTrouble): void {
    if (this.#ended) return;
    this.#settle();
    this.#ended = new ExchangeFault(this.#controller || trouble === 'aborted' ? trouble : 'unreachable');
    this.#controller?.abort(this.#ended);
    if (this.#takesBeginning && this.#status !== 0) this.#answer();
    else this.#reject(this.#ended);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** The names of undici's errors for an answer that is not HTTP, or has more headers than are read. */
const noHttp: ReadonlySet<string> = new Set(['HTTPParserError', 'HeadersOverflowError']);

/** @param sent whether the call was on its way. */
function faultOf(sent: boolean, { name, code = null }: Error & { code?: string | null }): ExchangeFault {
  if (sent && noHttp.has(name)) return new ExchangeFault('invalid_answer', name);
  // undici's own codes mean nothing to others.
  return new ExchangeFault(sent ? 'lost' : 'unreachable', code?.startsWith('UND_') ? null : code);
}
