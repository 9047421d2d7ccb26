import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { CallTracer } from '../contract/http-observer.js';
import type { EventFollower } from '../events/event-store.js';
import type { StoredEvent } from '../events/event-table.js';
import { dataOf } from '../events/read-event.js';

/** A program whose calls and turns are traced. */
export interface TracedProgram {
  readonly name: string;
  readonly version: string;
  /** Further facts about it, such as the name of its agent. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Called once when spans do not reach their collector, and once when they do again. */
  report(line: string): void;
}

/** The traces of a program, without a word of OpenTelemetry's: its packages are in a file of their own. */
export interface Tracing {
  readonly calls: CallTracer;
  /** Makes a span of each turn, from its claim to its end. */
  readonly follow: EventFollower;
  /** Returns the `traceparent` of the call under way, for the calls that are made for it; null outside of one. */
  current(): string | null;
  /** Notes that the call under way caused a request or a turn, by its id: the span of the turn links to that of the call. */
  caused(id: string): void;
  /** Sends what is left, and waits a moment for that. */
  close(): Promise<void>;
}

/** The longest wait for the last spans when the program stops. */
const closeMilliseconds = 2000;
/** The most calls whose turn has not begun that are remembered. */
const mostCauses = 10_000;

/** Begins to trace. The exporter, the sampler and the batches read their own standard variables. */
export function startTracing(program: TracedProgram): Tracing {
  const { name, version, attributes } = program;
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': name, 'service.version': version, ...attributes }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new ReportingExporter(program))],
  });
  const tracer = provider.getTracer('houmao', version);
  const calls = new Calls(tracer);
  const turns = new Turns(tracer);
  return {
    calls,
    follow: turns.follow,
    current: () => calls.current && traceParentOf(calls.current),
    caused: (id) => calls.current && turns.caused(id, calls.current),
    close: async () => {
      turns.leave();
      const late = new Promise<void>((resolve) => setTimeout(resolve, closeMilliseconds).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

/** Exports over OTLP, as JSON, and reports once that the collector does not take spans. They are dropped then. */
class ReportingExporter implements SpanExporter {
  readonly #exporter = new OTLPTraceExporter();
  readonly #report: (line: string) => void;
  #isFailing = false;

  constructor({ report }: Pick<TracedProgram, 'report'>) {
    this.#report = report;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      const fails = result.code === ExportResultCode.FAILED;
      if (fails && !this.#isFailing)
        this.#report(
          `traces do not reach their collector and are dropped (${result.error?.message ?? 'no reason is known'}); look at OTEL_EXPORTER_OTLP_ENDPOINT`,
        );
      if (!fails && this.#isFailing) this.#report('traces reach their collector again');
      this.#isFailing = fails;
      // The processor would print each failure.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush();
  }
}

const hex = (flags: number): string => flags.toString(16).padStart(2, '0');
const traceParentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${hex(traceFlags)}`;

/** The spans of HTTP calls, each named after its operation. */
class Calls implements CallTracer {
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<SpanContext>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  get current(): SpanContext | null {
    return this.#current.getStore() ?? null;
  }

  begin: CallTracer['begin'] = (operationId, { method, path, traceParent }) => {
    const parent = traceParent === null ? null : parseTraceParent(traceParent);
    const span = this.#tracer.startSpan(
      operationId,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': method, 'url.path': path },
      },
      parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT,
    );
    return {
      run: (work) => this.#current.run(span.spanContext(), work),
      end: (status) => {
        if (status !== null) span.setAttribute('http.response.status_code', status);
        if (status === null) span.setStatus({ code: SpanStatusCode.ERROR, message: 'no answer was sent' });
        else if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
}

/** The spans of turns, made of the events that report them. */
class Turns {
  readonly #tracer: Tracer;
  readonly #spans = new Map<string, Span>();
  /** The turns of requests, while they run. */
  readonly #turnOf = new Map<string, string>();
  /** The calls that caused requests and turns which have not begun. */
  readonly #causes = new Map<string, SpanContext>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  caused(id: string, call: SpanContext): void {
    const begun = this.#spans.get(this.#turnOf.get(id) ?? id);
    if (begun) begun.addLink({ context: call });
    else this.#causes.set(id, call);
    const [oldest] = this.#causes.keys();
    if (this.#causes.size > mostCauses && oldest !== undefined) this.#causes.delete(oldest);
  }

  /** Ends the spans of turns that go on without this program. */
  leave(): void {
    for (const span of this.#spans.values()) span.addEvent('left').end();
    this.#spans.clear();
  }

  readonly follow: EventFollower = (events) => {
    for (const event of events) this.#seen(event);
  };

  #seen({ kind, subject_id: id, ...event }: StoredEvent): void {
    if (id === null) return;
    if (kind === 'cancelled' || kind === 'failed' || kind === 'completed') this.#causes.delete(id);
    if (!kind.startsWith('turn_')) return;
    const data = dataOf({ kind, subject_id: id, ...event }) ?? {};
    const request = typeof data.request_id === 'string' ? data.request_id : null;
    if (kind === 'turn_claimed') {
      if (request !== null) this.#turnOf.set(request, id);
      this.#spans.set(
        id,
        this.#tracer.startSpan(
          'turn',
          { attributes: attributesOf(data), links: this.#linksOf(id, request) },
          ROOT_CONTEXT,
        ),
      );
      return;
    }
    const span = this.#spans.get(id);
    if (kind === 'turn_ended') {
      span?.setAttributes(attributesOf(data));
      if (data.outcome === 'failed')
        span?.setStatus({ code: SpanStatusCode.ERROR, message: String(data.error_code) });
      span?.end();
      this.#spans.delete(id);
      if (request !== null) this.#turnOf.delete(request);
    } else span?.addEvent(kind.slice('turn_'.length));
  }

  #linksOf(turnId: string, requestId: string | null): Link[] {
    const ids = requestId === null ? [turnId] : [turnId, requestId];
    const links = ids.flatMap((id) => this.#causes.get(id) ?? []).map((context) => ({ context }));
    for (const id of ids) this.#causes.delete(id);
    return links;
  }
}

/** The facts of a turn that are no text of a person or an agent. */
const attributesOf = (data: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    ['turn_id', 'request_id', 'origin', 'outcome', 'error_code'].flatMap((name) =>
      typeof data[name] === 'string' ? [[`houmao.${name}`, data[name]]] : [],
    ),
  );
