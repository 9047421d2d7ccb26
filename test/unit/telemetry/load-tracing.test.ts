import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tracesAsked } from '../../../src/telemetry/load-tracing.js';

const endpoint = 'http://127.0.0.1:4318';

test('traces are asked for by an exporter or an address, and by nothing else', () => {
  expect(tracesAsked({})).toEqual({ asked: false });
  expect(tracesAsked({ OTEL_TRACES_EXPORTER: 'otlp' })).toEqual({ asked: true });
  expect(tracesAsked({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({ asked: true });
  expect(tracesAsked({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint })).toEqual({ asked: true });
  expect(tracesAsked({ OTEL_TRACES_EXPORTER: '', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toEqual({
    asked: false,
  });
  expect(tracesAsked({ OTEL_TRACES_EXPORTER: 'console', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({
    asked: false,
    unknown: 'console',
  });
});

test('what switches them off counts before everything that asks for them', () => {
  const text = fc.constantFrom(undefined, '', 'otlp', 'none', 'zipkin', endpoint);
  const names = [
    ...['OTEL_TRACES_EXPORTER', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  ];
  const environment = fc.record(Object.fromEntries(names.map((name) => [name, text])));
  fc.assert(
    fc.property(environment, (given) => {
      expect(tracesAsked({ ...given, OTEL_SDK_DISABLED: 'TRUE' })).toEqual({ asked: false });
      expect(tracesAsked({ ...given, OTEL_TRACES_EXPORTER: 'none' })).toEqual({ asked: false });
    }),
  );
});
