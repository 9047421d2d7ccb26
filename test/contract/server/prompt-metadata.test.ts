// The labels of prompts at the server: by its own prompts and the forwarded ones, with a gateway and without.
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { openManagedServer } from '../../support/managed-server.js';
import { agentAtServerEach } from '../support/agent-at-server.js';

const here = agentAtServerEach();
const ask = (method: string, rest: string, body?: unknown, headers?: Record<string, string>) =>
  here.server.ask(method, pathOf(here.session, rest), body, headers);
const labels = (metadata: unknown, key?: string) => ({
  'X-Houmao-Metadata': JSON.stringify(metadata),
  ...(key === undefined ? {} : { 'Idempotency-Key': key }),
});
const promptOf = (prompt: string) => ({ request_kind: 'submit_prompt', prompt });
const codeOf = ({ headers }: { headers: Headers }) => headers.get('x-houmao-error-code');
const recordOf = async (turnId: string) => (await ask('GET', `/turns/${turnId}/record?wait_seconds=30`)).body;
const agent = () =>
  createHoumaoClient({ baseUrl: here.server.url }).agent(
    decodeURIComponent(pathOf(here.session, '').split('/').at(-1)!),
  );
const metadata = { ticket: 'HOU-1', team: 'core' };

describe.each([['with a gateway'], ['without a gateway']])('%s', (how) => {
  let gateway: GatewayProcess | null = null;
  beforeEach(async () => {
    gateway = how === 'with a gateway' ? await startGateway(here.session) : null;
  });
  afterEach(async () => void (await gateway?.stop()));

  test('a prompt keeps its labels, which its key includes; another server shows them too', async () => {
    for (const [rest, body] of [
      ['/requests', promptOf('for all')],
      ['/turns', { prompt: 'for headless ones' }],
    ] as const) {
      const first = await ask('POST', rest, body, labels(metadata, rest));
      expect([rest, first.status]).toEqual([rest, 200]);
      const turnId: string = first.body.turn_id ?? first.body.headless_turn_id;
      expect(await recordOf(turnId)).toMatchObject({ outcome: 'completed', metadata });
      const again = await ask('POST', rest, body, labels({ team: 'core', ticket: 'HOU-1' }, rest));
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      for (const other of [{ ticket: 'HOU-1' }, {}]) {
        const refused = await ask('POST', rest, body, labels(other, rest));
        expect([refused.status, codeOf(refused)]).toEqual([422, 'key_reused']);
      }
      const next = await openManagedServer(here.session.folder);
      const path = pathOf(here.session, `/turns/${turnId}/record`);
      expect((await next.ask('GET', path)).body.metadata).toEqual(metadata);
      await next.close();
    }
    expect(takenPrompts(here.session.ledger)).toHaveLength(2);
  });

  test('bad labels, and labels beside an interrupt, are a 422 and change nothing', async () => {
    for (const [rest, body] of [
      ['/requests', promptOf('never')],
      ['/turns', { prompt: 'never' }],
    ] as const) {
      const bad = await ask('POST', rest, body, labels({ 'a b': 'c' }, rest));
      expect([bad.status, codeOf(bad)]).toEqual([422, 'validation_failed']);
      expect(bad.body.detail[0].loc).toEqual(['header', 'x-houmao-metadata']);
    }
    const interrupt = await ask('POST', '/requests', { request_kind: 'interrupt' }, labels(metadata));
    expect([interrupt.status, codeOf(interrupt)]).toEqual([422, 'request_refused']);
    expect(takenPrompts(here.session.ledger)).toEqual([]);
  });

  test('the SDK gives them with prompt and submit, in any alphabet', async () => {
    const note = { note: 'déjà 🙂' };
    let seen: unknown;
    await agent().prompt('prompted', { metadata: note, onUpdate: (turn) => (seen = turn.metadata) });
    expect(seen).toEqual(note);
    const handle = await agent().submit('submitted', { metadata });
    await handle.answer();
    expect((await handle.record()).metadata).toEqual(metadata);
    const bare = await agent().submit('bare');
    await bare.answer();
    expect(await bare.record()).not.toHaveProperty('metadata');
  });
});

describe('forwarded to a gateway', () => {
  let gateway: GatewayProcess;
  beforeEach(async () => {
    gateway = await startGateway(here.session);
  });
  afterEach(async () => void (await gateway.stop()));

  test('labels are stored there, and its list is filtered by them', async () => {
    const queue = agent().gateway;
    const handle = await queue.submit('queued', { metadata });
    await handle.answer();
    expect(await handle.record()).toMatchObject({ metadata, turn: { metadata } });
    await (await queue.submit('other', { metadata: { ticket: 'HOU-2', team: 'core' } })).answer();
    const found = async (...wanted: string[]) =>
      (await queue.listRequests({ query: { metadata: wanted } })).requests.map(
        ({ prompt_preview }) => prompt_preview,
      );
    expect(await found('team=core')).toEqual(['other', 'queued']);
    expect(await found('team=core', 'ticket=HOU-1')).toEqual(['queued']);
    const turn = await queue.control('direct', { metadata: { ticket: 'HOU-3' } });
    expect(await turn.record()).toMatchObject({ metadata: { ticket: 'HOU-3' } });
    await turn.answer();
  });

  test('a bad label, or a bad filter, is refused as there', async () => {
    const prompt = { kind: 'submit_prompt', payload: { prompt: 'never' } };
    const bad = await ask('POST', '/gateway/requests', prompt, labels({ a: 1 }));
    expect([bad.status, bad.body.detail[0].loc]).toEqual([422, ['header', 'x-houmao-metadata']]);
    const filter = await ask('GET', '/gateway/requests?metadata=ticket');
    expect([filter.status, filter.body.detail[0].loc]).toEqual([422, ['query', 'metadata', 0]]);
    expect((await ask('GET', '/gateway/requests')).body.requests).toEqual([]);
  });
});
