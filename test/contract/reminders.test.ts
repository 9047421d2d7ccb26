import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { readEvents } from './support/events.js';
import { type Served, serve } from './support/served.js';

const far = { start_after_seconds: 86_400 };
const oneOff = (given: object = {}) => ({ mode: 'one_off', title: 'T', prompt: 'P', ranking: 0, ...given });
const repeat = (given: object = {}) => ({ ...oneOff(), mode: 'repeat', interval_seconds: 3600, ...given });

const createIn =
  (served: Served) =>
  (...reminders: object[]) =>
    served.ask('POST', '/v1/reminders', { reminders });
const idsOf = (list: { reminders: { reminder_id: string }[] }) =>
  list.reminders.map((one) => one.reminder_id);

describe('reminders', () => {
  const served = serve();
  const create = createIn(served);
  const list = async () => (await served.ask('GET', '/v1/reminders')).body;
  const get = (id: string) => served.ask('GET', `/v1/reminders/${id}`);
  const put = (id: string, body: object) => served.ask('PUT', `/v1/reminders/${id}`, body);
  const remove = (id: string) => served.ask('DELETE', `/v1/reminders/${id}`);
  /** The file follows the reminders, and may do so after an answer that no longer has one. */
  const reported = (kind: string, id: string, lines: object[]) =>
    expect.poll(() => events(kind, id)).toMatchObject(lines);
  const log = () => readFileSync(served.session.paths.log, 'utf8');
  const gone = (id: string) => expect.poll(async () => (await get(id)).status).toBe(404);
  const events = (kind: string, id: string) =>
    readEvents(served.session.paths).filter((event) => event.kind === kind && event.reminder_id === id);

  beforeEach(async () => {
    for (const id of idsOf(await list())) await remove(id);
  });

  test('without any the list is empty', async () => {
    expect(await list()).toEqual({ schema_version: 1, effective_reminder_id: null, reminders: [] });
  });

  test('are shown as they were made, the effective one first', async () => {
    const made = await create(
      oneOff({ ...far, ranking: 5, title: 'later' }),
      repeat({ deliver_at_utc: '2100-01-01T02:00:00+02:00', ranking: -10, paused: true }),
    );
    expect(made.status).toBe(200);
    const [behind, effective] = made.body.reminders;
    expect(made.body.effective_reminder_id).toBe(effective.reminder_id);
    expect(effective).toEqual({
      schema_version: 1,
      reminder_id: expect.stringMatching(/^greminder-[0-9a-f]{12}$/),
      mode: 'repeat',
      delivery_kind: 'prompt',
      title: 'T',
      prompt: 'P',
      send_keys: null,
      ranking: -10,
      paused: true,
      selection_state: 'effective',
      delivery_state: 'scheduled',
      created_at_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/),
      next_due_at_utc: '2100-01-01T00:00:00+00:00',
      interval_seconds: 3600,
      last_started_at_utc: null,
      blocked_by_reminder_id: null,
    });
    expect(behind).toMatchObject({
      title: 'later',
      selection_state: 'blocked',
      blocked_by_reminder_id: effective.reminder_id,
    });
    expect(Date.parse(behind.next_due_at_utc)).toBe(Date.parse(behind.created_at_utc) + 86_400_000);
    expect(idsOf(await list())).toEqual([effective.reminder_id, behind.reminder_id]);
    expect((await get(behind.reminder_id)).body).toEqual(behind);
    await reported('reminder_registered', behind.reminder_id, [
      { title: 'later', prompt_preview: 'P', sequence_preview: null, ensure_enter: null },
    ]);
  });

  test('a due one is delivered in a turn of its own, and gone', async () => {
    const [{ reminder_id }] = (
      await create(oneOff({ deliver_at_utc: '2020-01-01', prompt: 'from a reminder' }))
    ).body.reminders;
    await gone(reminder_id);
    expect(readFileSync(served.session.ledger, 'utf8')).toContain('from a reminder');
    await reported('reminder_completed', reminder_id, [{ next_due_at_utc: null }]);
    expect(events('reminder_started', reminder_id)).toHaveLength(1);
    const [ended] = readEvents(served.session.paths)
      .filter((event) => event.kind === 'turn_ended')
      .slice(-1);
    expect((await served.ask('GET', `/v1/turns/${ended?.turn_id}`)).body).toMatchObject({
      origin: 'reminder',
      request_id: null,
      outcome: 'completed',
    });
  });

  test('a repeating one is due again on its grid', async () => {
    const [made] = (
      await create(repeat({ deliver_at_utc: '2020-01-01T00:00:30Z', interval_seconds: 86_400 }))
    ).body.reminders;
    await expect.poll(async () => (await get(made.reminder_id)).body.last_started_at_utc).not.toBeNull();
    await expect.poll(async () => (await get(made.reminder_id)).body.delivery_state).toBe('scheduled');
    const { next_due_at_utc, last_started_at_utc } = (await get(made.reminder_id)).body;
    expect(next_due_at_utc).toMatch(/T00:00:30\+00:00$/);
    expect(Date.parse(next_due_at_utc)).toBeGreaterThan(Date.parse(last_started_at_utc));
  });

  test('a failed delivery is reported, and not repeated', async () => {
    const [{ reminder_id }] = (
      await create(oneOff({ deliver_at_utc: '2020-01-01', prompt: '[[exit=3]] bad' }))
    ).body.reminders;
    await gone(reminder_id);
    await reported('reminder_failed', reminder_id, [
      { error_detail: expect.stringContaining('3'), next_due_at_utc: null },
    ]);
    expect(events('reminder_started', reminder_id)).toHaveLength(1);
  });

  test('a due one waits while something runs, tells why once, and goes before nothing that is queued', async () => {
    const busy = (await served.prompt('[[slow=60000]] busy')).body.request_id;
    await expect
      .poll(async () => (await served.ask('GET', '/v1/status')).body.active_execution)
      .toBe('running');
    const [{ reminder_id }] = (await create(oneOff({ deliver_at_utc: '2020-01-01', prompt: 'after all' })))
      .body.reminders;
    const queued = (await served.prompt('queued before')).body.request_id;
    await expect.poll(() => events('reminder_deferred', reminder_id).length).toBeGreaterThan(0);
    expect((await get(reminder_id)).body.delivery_state).toBe('overdue');
    await served.interrupt();
    await served.final(busy);
    await served.final(queued);
    await gone(reminder_id);
    const ledger = readFileSync(served.session.ledger, 'utf8');
    expect(ledger.indexOf('queued before')).toBeLessThan(ledger.indexOf('after all'));
    const reasons = events('reminder_deferred', reminder_id).map((event) => event.detail);
    expect(new Set(reasons).size).toBe(reasons.length);
    expect(reasons.join()).toContain("active_execution='running'");
    await expect.poll(log).toContain(`deferred reminder reminder_id=${reminder_id}`);
  });

  test('while one is delivered it cannot be changed, and a deletion waits for its end', async () => {
    const [{ reminder_id }] = (
      await create(repeat({ deliver_at_utc: '2020-01-01', prompt: '[[slow=60000]] at work' }))
    ).body.reminders;
    await expect.poll(async () => (await get(reminder_id)).body.delivery_state).toBe('executing');
    const refused = await put(reminder_id, repeat(far));
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining(reminder_id)]);
    expect((await remove(reminder_id)).body).toMatchObject({
      deleted: true,
      detail: expect.stringContaining('until completion'),
    });
    expect((await get(reminder_id)).body.delivery_state).toBe('executing');
    await served.interrupt();
    await gone(reminder_id);
    await reported('reminder_failed', reminder_id, [{}]);
  });

  test('an update is a whole new definition', async () => {
    const [made] = (await create(repeat({ ...far, paused: true, title: 'old' }))).body.reminders;
    const { status, body } = await put(
      made.reminder_id,
      oneOff({ deliver_at_utc: '2100-01-01', title: 'new', ranking: 3 }),
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      ...made,
      mode: 'one_off',
      title: 'new',
      ranking: 3,
      paused: false,
      interval_seconds: null,
      next_due_at_utc: '2100-01-01T00:00:00+00:00',
    });
    expect((await get(made.reminder_id)).body).toEqual(body);
  });

  test('a paused one keeps those behind it waiting, until it is let go', async () => {
    const [first] = (
      await create(oneOff({ deliver_at_utc: '2020-01-01', ranking: -1, paused: true, prompt: 'paused' }))
    ).body.reminders;
    const [second] = (await create(oneOff({ deliver_at_utc: '2020-01-01', prompt: 'behind' }))).body
      .reminders;
    expect((await get(first.reminder_id)).body).toMatchObject({
      delivery_state: 'overdue',
      selection_state: 'effective',
    });
    expect((await get(second.reminder_id)).body).toMatchObject({
      delivery_state: 'overdue',
      blocked_by_reminder_id: first.reminder_id,
    });
    await put(first.reminder_id, oneOff({ deliver_at_utc: '2020-01-01', ranking: -1, prompt: 'paused' }));
    await gone(first.reminder_id);
    await gone(second.reminder_id);
    const ledger = readFileSync(served.session.ledger, 'utf8');
    expect(ledger.indexOf('paused')).toBeLessThan(ledger.indexOf('behind'));
  });

  test.each([
    [{}, 'exactly one of start_after_seconds or deliver_at_utc must be set'],
    [
      { ...far, deliver_at_utc: '2100-01-01' },
      'exactly one of start_after_seconds or deliver_at_utc must be set',
    ],
    [{ ...far, prompt: null }, 'exactly one of prompt or send_keys must be set'],
    [{ ...far, send_keys: { sequence: 'x' } }, 'exactly one of prompt or send_keys must be set'],
    [{ ...far, interval_seconds: 5 }, 'one_off reminders must not include interval_seconds'],
    [{ ...far, mode: 'repeat' }, 'repeat reminders require interval_seconds'],
    // The first rule of the list speaks, not all of them.
    [{ prompt: null, mode: 'repeat' }, 'exactly one of prompt or send_keys must be set'],
  ])('%j is refused by its rule, and so is everything beside it', async (given, rule) => {
    const { status, body } = await create(oneOff(far), oneOff(given));
    expect([status, body.detail]).toMatchObject([
      422,
      [{ type: 'value_error', msg: rule, loc: ['body', 'reminders', 1] }],
    ]);
    expect((await list()).reminders).toEqual([]);
  });

  test('keys are refused for an agent that has no terminal, after 404 and before anything is stored', async () => {
    const keys = { mode: 'one_off', title: 'K', send_keys: { sequence: '<[Escape]>' }, ranking: 0, ...far };
    const refused = await create(oneOff(far), keys);
    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining('unsupported')]);
    expect((await list()).reminders).toEqual([]);
    const [{ reminder_id }] = (await create(oneOff(far))).body.reminders;
    expect((await put(reminder_id, keys)).status).toBe(422);
    expect((await get(reminder_id)).body.delivery_kind).toBe('prompt');
    expect((await put('greminder-000000000000', keys)).status).toBe(404);
  });

  test('an unknown one is 404 by its name', async () => {
    for (const answer of [
      await get('greminder-x'),
      await remove('greminder-x'),
      await put('greminder-x', oneOff(far)),
    ])
      expect([answer.status, answer.body.detail]).toEqual([404, expect.stringContaining('`greminder-x`')]);
  });

  test('are lost at a restart, each reported by name', async () => {
    const [{ reminder_id }] = (await create(oneOff(far))).body.reminders;
    await served.restart();
    expect((await list()).reminders).toEqual([]);
    await reported('reminder_lost_on_restart', reminder_id, [
      { selection_state: 'effective', delivery_state: 'scheduled' },
    ]);
    await expect.poll(log).toContain(`lost in-memory reminder reminder_id=${reminder_id}`);
  });
});
