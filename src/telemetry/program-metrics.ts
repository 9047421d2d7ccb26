import { Readable } from 'node:stream';
// Types alone: the package is loaded with the first figure that it keeps, or the first scrape. A start does not wait for it.
import type { Histogram, Registry } from 'prom-client';
import { StreamedText } from '../contract/handler-types.js';
import { version } from '../foundation/version.js';

/** The operation of calls that reached none: refused ones, unknown paths, the docs page. */
const noOperation = 'none';

/** Counts by the values of some labels. Counting is one look-up, since it is done where work passes. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** @param values of the labels, always in the same order; none contains a line break. */
  count(...values: readonly string[]): void {
    const key = values.join('\n');
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  *[Symbol.iterator](): Generator<[values: string[], count: number]> {
    for (const [key, count] of this.#counts) yield [key.split('\n'), count];
  }
}

type Prometheus = typeof import('prom-client');
interface Made {
  readonly prometheus: Prometheus;
  readonly registry: Registry;
}
/** Makes a figure of its definition. */
type Make = (prometheus: Prometheus, registry: Registry) => void;

/** The figures of one program in Prometheus' format. Everything that is not counted where it happens is read at the scrape. */
export class ProgramMetrics {
  readonly #prefix: string;
  readonly #calls = new Tally();
  readonly #figures: Make[] = [];
  #loaded: Promise<Made> | null = null;
  #seesProcess = false;

  constructor(program: 'houmao-gateway' | 'houmao-server') {
    this.#prefix = `${program.replace('-', '_')}_`;
    const build = { program, version };
    this.gauge('houmao_build_info', 'The version of the program; always 1.', ['program', 'version'], (set) =>
      set(1, build),
    );
    this.counter(
      'http_requests_total',
      'HTTP calls that were answered, by operation and class of status.',
      ['operation', 'status'],
      this.#calls,
    );
  }

  /** Counts a call that was answered. @param operation null for a call that reached none. */
  readonly answered = (operation: string | null, status: number): void =>
    this.#calls.count(operation ?? noOperation, `${Math.floor(status / 100)}xx`);

  /** Adds a counter. @param name behind the prefix of the program. */
  counter(
    name: string,
    help: string,
    labelNames: readonly string[],
    counts: Iterable<[string[], number]>,
  ): void {
    this.#figures.push(({ Counter }, registry) => {
      new Counter({
        name: this.#prefix + name,
        help,
        labelNames,
        registers: [registry],
        collect() {
          this.reset();
          for (const [values, count] of counts)
            this.inc(Object.fromEntries(labelNames.map((label, at) => [label, values[at] ?? ''])), count);
        },
      });
    });
  }

  /** Adds a gauge. @param read sets its values, at each scrape; it never rejects. */
  gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: (set: (value: number, labels?: Readonly<Record<string, string>>) => void) => Promise<void> | void,
  ): void {
    this.#figures.push(({ Gauge }, registry) => {
      new Gauge({
        name: name.startsWith('houmao_') ? name : this.#prefix + name,
        help,
        labelNames,
        registers: [registry],
        async collect() {
          this.reset();
          await read((value, labels = {}) => this.set(labels, value));
        },
      });
    });
  }

  /** Adds a histogram of times by where a prompt came from. @returns the function that counts one, in seconds. */
  histogram(name: string, help: string, buckets: number[]): (origin: string, seconds: number) => void {
    let made: Histogram<'origin'> | null = null;
    this.#figures.push(({ Histogram }, registry) => {
      const registers = [registry];
      made = new Histogram({ name: this.#prefix + name, help, labelNames: ['origin'], buckets, registers });
    });
    return (origin, seconds) => {
      if (made) made.observe({ origin }, seconds);
      else void this.#made().then(() => made?.observe({ origin }, seconds));
    };
  }

  /** Returns the answer to a scrape. The first one begins to watch the process: nothing is spent where none comes. */
  async text(): Promise<StreamedText> {
    const { prometheus, registry } = await this.#made();
    if (!this.#seesProcess) prometheus.collectDefaultMetrics({ register: registry });
    this.#seesProcess = true;
    const text = Buffer.from(await registry.metrics());
    return new StreamedText(text.length, Readable.from([text]), registry.contentType);
  }

  /** Loads the package and makes all figures, once. */
  #made(): Promise<Made> {
    this.#loaded ??= import('prom-client').then((prometheus) => {
      const registry = new prometheus.Registry();
      for (const make of this.#figures) make(prometheus, registry);
      return { prometheus, registry };
    });
    return this.#loaded;
  }
}
