import { describe, expect, test } from 'vitest';
import { becomeRest, becomeTerminal } from './support/edit-manifest.js';
import { type Served, serve, serveEach } from './support/served.js';

const far = { start_after_seconds: 86_400 };
const oneOff = (given: object = {}) => ({ mode: 'one_off', title: 'T', prompt: 'P', ranking: 0, ...given });

const createIn =
  (served: Served) =>
  (...reminders: object[]) =>
    served.ask('POST', '/v1/reminders', { reminders });

const keys = { mode: 'one_off', title: 'K', send_keys: { sequence: 'x' }, ranking: 0, ...far };

describe('reminders of an agent in a terminal', () => {
  const served = serve(({ paths }) => becomeTerminal(paths));
  const create = createIn(served);

  test('can be made, also of keys, but not of what cannot be typed', async () => {
    expect((await create(oneOff(far))).status).toBe(200);
    expect((await create(keys)).status).toBe(200);
    expect(await create({ ...keys, send_keys: { sequence: '<[F1]>' } })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('<[F1]>') },
    });
    const unsendable = { ...keys, send_keys: { sequence: 'a\u0001b' } };
    const detail = expect.stringContaining('U+0001');
    expect(await create(keys, unsendable)).toMatchObject({ status: 422, body: { detail } });
    const { reminders } = (await served.ask('GET', '/v1/reminders')).body;
    expect(await served.ask('PUT', `/v1/reminders/${reminders[1].reminder_id}`, unsendable)).toMatchObject({
      status: 422,
      body: { detail },
    });
    expect((await served.ask('GET', '/v1/reminders')).body.reminders).toHaveLength(2);
  });
});

describe('seconds of a reminder', () => {
  const served = serve(() => undefined);
  const create = createIn(served);

  test.each([0, -0, -5])('are greater than 0; %d are not', async (seconds) => {
    for (const field of ['start_after_seconds', 'interval_seconds']) {
      const refused = await create({ ...oneOff(far), mode: 'repeat', interval_seconds: 5, [field]: seconds });
      const item = { type: 'greater_than', loc: ['body', 'reminders', 0, field], ctx: { gt: 0 } };
      expect([refused.status, refused.body.detail]).toMatchObject([422, [item]]);
    }
  });

  test('may be any others, however few', async () => {
    expect((await create(oneOff({ start_after_seconds: 5e-324 }))).status).toBe(200);
  });
});

describe('reminders of an agent behind a REST server', () => {
  const served = serve(({ paths }) => becomeRest(paths));
  const create = createIn(served);

  test('can be made, but not of keys', async () => {
    expect((await create(oneOff(far))).status).toBe(200);
    expect((await create(keys)).status).toBe(422);
    expect((await served.ask('GET', '/v1/reminders')).body.reminders).toHaveLength(1);
  });
});

describe('more reminders than there can be', () => {
  const served = serveEach();

  test('are refused, all of a batch or none', async () => {
    const batch = (count: number) =>
      served.ask('POST', '/v1/reminders', {
        reminders: Array.from({ length: count }, (_, index) => ({
          mode: 'one_off',
          title: 't',
          prompt: 'p',
          ranking: index,
          start_after_seconds: 1e6,
        })),
      });
    expect((await batch(200)).status).toBe(200);
    const refused = await batch(51);
    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining('250 reminders')]);
    const { reminders } = (await served.ask('GET', '/v1/reminders')).body;
    expect(reminders).toHaveLength(200);
    expect((await batch(50)).status).toBe(200);
    expect((await batch(1)).status).toBe(422);
    await served.ask('DELETE', `/v1/reminders/${reminders[0].reminder_id}`);
    expect((await batch(1)).status).toBe(200);
  });

  test('are refused by their text too, also when one is replaced', async () => {
    const long = { mode: 'one_off', title: 't', ranking: 1, start_after_seconds: 1e6 };
    const add = (prompt: string) => served.ask('POST', '/v1/reminders', { reminders: [{ ...long, prompt }] });
    const megabyte = 'x'.repeat(1_000_000);
    for (let times = 0; times < 4; times += 1) expect((await add(megabyte)).status).toBe(200);
    const detail = expect.stringContaining('4194304 characters');
    const refused = await add(megabyte);
    expect([refused.status, refused.body.detail]).toEqual([422, detail]);
    const small = (await add('small')).body.reminders[0].reminder_id;
    const replaced = await served.ask('PUT', `/v1/reminders/${small}`, { ...long, prompt: megabyte });
    expect([replaced.status, replaced.body.detail]).toEqual([422, detail]);
    expect((await served.ask('GET', `/v1/reminders/${small}`)).body.prompt).toBe('small');
  });
});
