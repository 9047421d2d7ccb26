import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MemoryFigures } from '../../support/gateway-memory.js';
import type { HostileOperation } from './contract.js';
import { type HostileRequest, hostileRequests } from './hostile-request.js';
import { judge } from './judge.js';
import { mebibytes, Tally } from './report.js';
import { Stage } from './stage.js';
import type { HostileSurface } from './surface.js';

const total = Number(process.env.HOUMAO_HOSTILE_REQUESTS ?? 50_000);
const seed = Number(process.env.HOUMAO_HOSTILE_SEED ?? Date.now() % 2 ** 31);
/**
 * So long what is attacked may work itself while `/health` is waited for, in milliseconds of its thread on a core: no other work on
 * the machine adds to these (prober.mjs). It finds a request that holds all others up. How fast `/health` is, with under 100 ms for
 * the slowest on a quiet machine, is a figure of docs/performance.md, and decides nothing here.
 */
const ownLimit = 2000;
/**
 * Memory that may be held after the last third of the requests and was not after the second, in bytes. No collection decides it: both
 * figures are taken after full ones that were asked for while nothing was under way. Compiled code of V8 and caches that fill up
 * meanwhile are a few MiB. A leftover of each of 50,000 requests is found from a kibibyte on: a handle, a listener, a body.
 */
const memoryLimit = 16 * 1024 * 1024;

const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 10) / 10 : value;

/** The tests of one surface: hostile requests to each of its operations, and what they leave. */
export function attack(name: string, surface: HostileSurface): void {
  const { contract, left, heavy } = surface;
  const operations = contract.operations.filter(({ operationId }) => !left.includes(operationId));
  const weightOf = ({ body, parameters, operationId }: HostileOperation): number => {
    if (heavy.includes(operationId)) return 1;
    if (body !== null) return 4;
    return parameters.length > 0 ? 2 : 1;
  };
  const weights = operations.reduce((sum, one) => sum + weightOf(one), 0);
  const tally = new Tally(total);
  const memory: MemoryFigures[] = [];
  let stage: Stage;

  beforeAll(async () => {
    console.log(`hostile: ${name}: ${total} requests, seed ${seed}`);
    stage = await Stage.open(surface);
  });
  afterAll(async () => {
    await stage.close();
    stage.attacked.session.remove();
  });

  async function play(operation: HostileOperation, sent: HostileRequest): Promise<void> {
    const answer = await stage.send(operation.method, sent);
    tally.count(operation.operationId, answer.status);
    judge(surface, operation, sent, answer, stage.attacked.session.folder);
    if (answer.status >= 300 || !contract.isJson(operation, answer.status)) return;
    rememberIds(answer.text, answer.headers['x-houmao-turn-id']);
  }

  function rememberIds(text: string, turnId: unknown): void {
    const body = JSON.parse(text) as { request_id?: unknown; reminders?: { reminder_id: unknown }[] };
    stage.remember(turnId);
    stage.remember(body.request_id);
    for (const one of body.reminders?.slice(0, 3) ?? []) stage.remember(one.reminder_id);
  }

  async function ask(method: string, path: string, body?: object) {
    const bytes = body ? Buffer.from(JSON.stringify(body)) : null;
    const headers: Record<string, string> = bytes ? { 'Content-Type': 'application/json' } : {};
    const { status, text } = await stage.send(method, {
      path,
      query: '',
      headers,
      body: bytes,
      oddPath: false,
      known: 0,
    });
    expect([path, status]).toEqual([path, 200]);
    return JSON.parse(text);
  }

  describe.each([1, 2, 3])('third %i', (third) => {
    describe.concurrent('whatever is sent', () => {
      test.each(operations.map((one, index) => [one.operationId, one, index] as const))(
        'to %s is answered as the contract says',
        async (_name, operation, index) => {
          await fc.assert(
            fc.asyncProperty(hostileRequests(operation, contract), (sent) => play(operation, sent)),
            {
              seed: seed + index + 1000 * third,
              numRuns: Math.max(1, Math.ceil((total * weightOf(operation)) / weights / 3)),
            },
          );
        },
      );
    });

    test('leaves an agent that can still be worked with', async () => {
      const { gatewayPath, wellness } = surface;
      const { reminders } = await ask('GET', `${gatewayPath}/reminders`);
      for (const { reminder_id } of reminders) await ask('DELETE', `${gatewayPath}/reminders/${reminder_id}`);
      await ask('PUT', `${gatewayPath}/control/queue`, { paused: true });
      expect(await ask('GET', wellness[0])).toMatchObject(wellness[1]);
      memory.push(await stage.memory());
    });
  });

  describe('at the end', () => {
    test('nothing of the requests has stayed in memory', () => {
      const [first, second, third] = memory.map((one) => one.heapUsed + one.external);
      const after = memory.map((one) => mebibytes(one.heapUsed + one.external)).join(', ');
      const resident = memory.map((one) => mebibytes(one.rss)).join(', ');
      console.log(`hostile: ${name}: heap and buffers after each third ${after}; resident ${resident}`);
      expect(first).toBeGreaterThan(0);
      expect((third ?? 0) - (second ?? 0)).toBeLessThan(memoryLimit);
    });

    test('the program ends by itself, and /health was there all the time', async () => {
      const { health, exitCode } = await stage.close();
      console.log(tally.table());
      console.log(`hostile: ${name}: /health ${JSON.stringify(health, rounded)}`);
      console.log(`hostile: ${name}: seed ${seed}`);
      expect(exitCode).toBe(0);
      expect(stage.attacked.program.stderr()).toBe('');
      expect(health.failures).toEqual([]);
      expect(health.mostOwn).toBeLessThan(ownLimit);
    });
  });
}
