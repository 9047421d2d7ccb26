// OpenTelemetry traces of real programs, as a collector gets them; and that a program without them loads nothing of it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait } from '../../support/http.js';
import { launchOn } from '../../support/managed-agents.js';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { TraceCollector } from '../../support/trace-collector.js';

let collector: TraceCollector;
let session: TestSession;
let gateway: GatewayProcess | null = null;
beforeEach(async () => {
  collector = await TraceCollector.start();
  session = await makeSession();
});
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
  await collector.close();
  session.remove();
});

const start = async (environment: NodeJS.ProcessEnv): Promise<GatewayProcess> => {
  gateway = await startGateway(session, { environment: { OTEL_BSP_SCHEDULE_DELAY: '100', ...environment } });
  return gateway;
};
const traced = (url = collector.url) => start({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
const span = async (name: string, where: (one: TraceCollector['spans'][number]) => boolean = () => true) => {
  await expect.poll(() => collector.named(name).filter(where).length).toBeGreaterThan(0);
  return collector.named(name).find(where)!;
};
const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

test('a span per call and per turn, the turn linked to the call, the call below its caller', async () => {
  const { url } = await traced();
  const body = { kind: 'submit_prompt', payload: { prompt: 'hello' } };
  const accepted = await call(url, 'POST', '/v1/requests', body, { traceparent });
  await call(url, 'GET', `/v1/requests/${accepted.body.request_id}?wait_seconds=30`);
  const submitted = await span('submitRequest');
  expect(submitted).toMatchObject({
    kind: 2,
    traceId: caller.traceId,
    parentSpanId: caller.spanId,
    service: 'houmao-gateway',
    attributes: {
      'http.request.method': 'POST',
      'url.path': '/v1/requests',
      'http.response.status_code': 202,
    },
  });
  const turn = await span('turn');
  expect(turn).toMatchObject({
    events: ['handed_over', 'confirmed'],
    links: [{ traceId: submitted.traceId, spanId: submitted.spanId }],
    status: 0,
    attributes: {
      'houmao.request_id': accepted.body.request_id,
      'houmao.origin': 'queue',
      'houmao.outcome': 'completed',
    },
  });
  expect(JSON.stringify(collector.spans)).not.toContain('hello');
  expect(collector.calls[0]).toBe('POST /v1/traces application/json');

  const direct = await call(
    url,
    'POST',
    '/v1/control/prompt',
    { prompt: '[[fail=500]] no' },
    { traceparent },
  );
  const turnId = direct.headers.get('x-houmao-turn-id');
  const failed = await span('turn', ({ attributes }) => attributes['houmao.turn_id'] === turnId);
  expect(failed).toMatchObject({ status: 2, attributes: { 'houmao.error_code': 'api_error' } });
  expect(failed.links).toMatchObject([{ traceId: caller.traceId }]);
  expect((await call(url, 'GET', '/v1/events?limit=0')).status).toBe(422);
  expect(await span('listEvents')).toMatchObject({ attributes: { 'http.response.status_code': 422 } });
});

test('the server passes the trace on to the gateway that it calls', async () => {
  const folder = temporaryFolder();
  const host = managedHost(folder);
  await launchOn(host, folder, 'alpha');
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
  const server = await startManagedServer(host, folder, { environment });
  try {
    const attach = { execution_mode: 'detached_process' };
    expect((await server.ask('POST', '/houmao/agents/alpha/gateway/attach', attach)).status).toBe(200);
    const body = { kind: 'submit_prompt', payload: { prompt: 'hello' } };
    await server.ask('POST', '/houmao/agents/alpha/gateway/requests', body, { traceparent });
    const atServer = await span('submitGatewayRequest');
    expect(atServer).toMatchObject({ service: 'houmao-server', parentSpanId: caller.spanId });
    const atGateway = await span('submitRequest');
    expect(atGateway).toMatchObject({
      service: 'houmao-gateway',
      traceId: caller.traceId,
      parentSpanId: atServer.spanId,
    });
  } finally {
    await server.ask('POST', '/houmao/agents/alpha/stop');
    await server.stop();
  }
});

/** Returns whether a gateway in this environment reads the file with OpenTelemetry, and what it says while it serves a prompt. */
async function loaded(environment: NodeJS.ProcessEnv): Promise<{ loads: boolean; stderr: string }> {
  const noted = join(session.folder, 'noted');
  const preload = fileURLToPath(new URL('notes-loads.cjs', import.meta.url));
  const { url } = await start({ NODE_OPTIONS: `--require ${preload}`, NOTED_LOADS: noted, ...environment });
  await promptAndWait(url, 'hello');
  const stderr = (gateway as GatewayProcess).stderr();
  expect(await gateway?.stop()).toBe(0);
  gateway = null;
  return { loads: existsSync(noted), stderr };
}

test('without the variables, and where they switch it off, nothing of it is loaded', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  expect(await loaded({})).toMatchObject({ loads: false });
  expect(await loaded({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toMatchObject({ loads: false });
  expect(await loaded({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toMatchObject({ loads: false });
  const unknown = await loaded({ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' });
  expect(unknown).toMatchObject({
    loads: false,
    stderr: expect.stringContaining('OTEL_TRACES_EXPORTER is zipkin'),
  });
  expect(collector.spans).toEqual([]);
  expect(await loaded({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/mine` })).toMatchObject({
    loads: true,
  });
  expect(collector.calls.at(-1)).toBe('POST /mine application/json');
});

test('a collector that is not there is named once in the log, and nothing else is different', async () => {
  const gone = collector.url;
  await collector.close();
  const { url, paths } = await traced(gone);
  for (let turn = 0; turn < 3; turn += 1)
    expect(await promptAndWait(url, 'hello')).toMatchObject({ state: 'completed' });
  const log = () =>
    readFileSync(paths.log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('traces'));
  await expect.poll(() => log().length).toBe(1);
  await promptAndWait(url, 'hello');
  collector = await TraceCollector.start(Number(new URL(gone).port));
  await expect
    .poll(async () => {
      await call(url, 'GET', '/health');
      return log();
    })
    .toEqual([
      expect.stringContaining('do not reach their collector'),
      expect.stringContaining('reach their collector again'),
    ]);
});
