import { describe, expect, test } from 'vitest';
import { becomeTerminal } from './support/edit-manifest.js';
import { serve } from './support/served.js';

describe('an agent in a terminal whose session is gone', () => {
  const served = serve(({ paths }) => becomeTerminal(paths));
  const gone = {
    diagnostics: {
      availability: 'unavailable',
      transport_state: 'tmux_missing',
      process_state: 'unknown',
      parse_status: 'transport_unavailable',
    },
    probe_snapshot: null,
    parsed_surface: null,
    surface: { accepting_input: 'unknown', editing_input: 'unknown', ready_posture: 'unknown' },
    last_turn: { result: 'none', source: 'none', updated_at_utc: null },
  };

  test('has a state: that it is gone', async () => {
    await expect
      .poll(async () => (await served.ask('GET', '/v1/control/tui/state')).body)
      .toMatchObject({ ...gone, turn: { phase: 'unknown' }, terminal_id: expect.any(String) });
  });

  test('has a history, as long as it is asked for', async () => {
    const entries = async (limit: string) =>
      (await served.ask('GET', `/v1/control/tui/history${limit}`)).body.entries;
    await expect.poll(async () => (await entries('')).length).toBeGreaterThan(2);
    expect(await entries('?limit=2')).toHaveLength(2);
    expect((await entries('?limit=-1')).length).toBeGreaterThan(2);
    expect(await served.ask('GET', '/v1/control/tui/history?limit=x')).toMatchObject({ status: 422 });
  });

  test('takes notes of prompts, checked in full', async () => {
    // That it is gone is known by then.
    await expect
      .poll(async () => (await served.ask('GET', '/v1/control/tui/state')).body)
      .toMatchObject(gone);
    const note = (body: object) => served.ask('POST', '/v1/control/tui/note-prompt', body);
    expect(await note({ prompt: 'typed elsewhere' })).toMatchObject({
      status: 200,
      body: { turn: { phase: 'active' } },
    });
    for (const body of [{}, { prompt: ' ' }, { prompt: 'p', surplus: 1 }, { prompt: 'p', turn_id: '../x' }])
      expect((await note(body)).status).toBe(422);
  });

  test('asks nothing that anybody could know of, and takes no answer', async () => {
    const dialog = '/v1/control/tui/dialog';
    const unseen = { status: 503, body: { detail: expect.any(String) } };
    expect(await served.ask('GET', dialog)).toMatchObject(unseen);
    expect(await served.ask('POST', dialog, { dialog_id: 'dialog-1', choose: 1 })).toMatchObject(unseen);
    for (const body of [
      {},
      { dialog_id: 'd' },
      { dialog_id: 'd', choose: 1, keys: 'x' },
      { dialog_id: 'd', choose: -1 },
    ])
      expect((await served.ask('POST', dialog, body)).status).toBe(422);
  });

  test('has no screen to see', async () => {
    const screen = '/v1/control/tui/screen';
    expect(await served.ask('GET', `${screen}?wait_seconds=60`)).toMatchObject({
      status: 503,
      body: { detail: expect.stringMatching(/^The screen cannot be read now: the terminal is gone/) },
    });
    for (const query of ['after=yesterday', 'wait_seconds=61'])
      expect((await served.ask('GET', `${screen}?${query}`)).status).toBe(422);
  });

  test('takes no keys, and says that it is unavailable', async () => {
    expect(await served.ask('POST', '/v1/control/send-keys', { sequence: 'x' })).toMatchObject({
      status: 503,
      body: {
        detail: expect.stringMatching(/^The managed agent is unavailable\. The tmux session .* is gone\.$/),
      },
    });
    for (const sequence of ['', ' ', 7])
      expect((await served.ask('POST', '/v1/control/send-keys', { sequence })).status).toBe(422);
  });
});
