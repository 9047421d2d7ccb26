import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { setPriority } from 'node:os';
import { expect, vi } from 'vitest';
import { type MemoryFigures, memoryEnvironment, memoryOf } from '../../support/gateway-memory.js';
import type { HostileRequest } from './hostile-request.js';
import type { Attacked, HostileSurface } from './surface.js';

export interface HostileAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}
interface Latencies {
  count: number;
  p50: number;
  p99: number;
  slowest: number;
}
/** The prober's measurements, in milliseconds. */
export interface HealthFigures {
  attacked: Latencies;
  /** A bare server's beside it. */
  control: Latencies;
  /** The most that what is attacked worked itself while one answer was waited for. */
  mostOwn: number;
  /** The five slowest, how long what is attacked had a core meanwhile, and what the machine added to each. */
  slowest: {
    took: number;
    own: number;
    onCore: number;
    waitedForCore: number;
    stolen: number;
    bareServer: number;
  }[];
  failures: unknown[];
}

interface Ended {
  health: HealthFigures;
  exitCode: number | null;
}

/** Of the prober: it answers when the health that it asked for last has come. */
const patience = { timeout: 60_000, interval: 20 };
const beside = (name: string): string => new URL(name, import.meta.url).pathname;

/** The attacked program, and a prober that asks for its health all the while. */
export class Stage {
  readonly attacked: Attacked;
  readonly #prober: ChildProcess;
  #proberSaid = '';
  #ended: Promise<Ended> | null = null;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #known: string[] = ['gwreq-20260313-000000Z-deadbeef'];

  private constructor(attacked: Attacked) {
    this.attacked = attacked;
    const { port, child } = attacked.program;
    this.#prober = spawn(process.execPath, [beside('prober.mjs'), String(port), String(child.pid)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#prober.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#proberSaid += text;
    });
  }

  static async open(surface: HostileSurface): Promise<Stage> {
    const stage = new Stage(await surface.open(memoryEnvironment));
    // The measured program goes before the one that sends.
    setPriority(19);
    return stage;
  }

  /** Ends everything, once. @returns what the prober saw, and how the program ended. */
  close(): Promise<Ended> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<Ended> {
    const proberEnded = once(this.#prober, 'close');
    this.#prober.kill('SIGTERM');
    await proberEnded;
    const lines = this.#proberSaid.trim().split('\n');
    this.#agent.destroy();
    const exitCode = await this.attacked.program.stop();
    await this.attacked.endOthers();
    return { health: JSON.parse(lines.at(-1) ?? '') as HealthFigures, exitCode };
  }

  /** Sends a request; once more on a fresh connection when the one it took had been closed as idle. */
  async send(method: string, one: HostileRequest): Promise<HostileAnswer> {
    return (await this.#exchange(method, one, this.#agent)) ?? (await this.#sendFresh(method, one));
  }

  async #sendFresh(method: string, one: HostileRequest): Promise<HostileAnswer> {
    const answer = await this.#exchange(method, one, false);
    if (answer === null) throw new Error('no answer');
    return answer;
  }

  #exchange(method: string, one: HostileRequest, agent: Agent | false): Promise<HostileAnswer | null> {
    const id = this.#known[one.known % this.#known.length] ?? '';
    const filled = one.path.replaceAll('{known}', id).replaceAll('{agent}', this.attacked.agent);
    const path = filled + (one.query === '' ? '' : `?${one.query}`);
    return new Promise((resolve, reject) => {
      const call = httpRequest(
        {
          host: '127.0.0.1',
          port: this.attacked.program.port,
          agent,
          method,
          path,
          headers: {
            ...one.headers,
            ...(one.body === null ? {} : { 'Content-Length': String(one.body.length) }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          });
          response.on('error', reject);
        },
      );
      call.on('error', (error: NodeJS.ErrnoException) => {
        if (call.reusedSocket && error.code === 'ECONNRESET') resolve(null);
        else reject(error);
      });
      call.end(one.body ?? undefined);
    });
  }

  /** Keeps an id that an answer gave, so that later requests mean something that is there. */
  remember(id: unknown): void {
    if (typeof id !== 'string') return;
    this.#known.push(id);
    if (this.#known.length > 200) this.#known.splice(1, 1);
  }

  /**
   * Lets the program collect garbage and report what is left. The prober pauses, so nothing else forces a collection.
   */
  async memory(): Promise<MemoryFigures> {
    await this.#toggleProber('resting');
    const figures = await memoryOf(this.attacked.program);
    await this.#toggleProber('asking');
    return figures;
  }

  async #toggleProber(says: string): Promise<void> {
    const from = this.#proberSaid.length;
    this.#prober.kill('SIGUSR2');
    const said = () => [this.#prober.exitCode, this.#proberSaid.slice(from)];
    await vi.waitFor(() => expect(said()).toEqual([null, expect.stringContaining(says)]), patience);
  }
}
