import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();
const { ask, direct, queued, request } = agents;
const prompts = () => agents.taken().map(({ prompt }) => prompt);
const idOf = (sent: Awaited<ReturnType<typeof direct>>): string => sent.headers.get('x-houmao-turn-id') ?? '';

test('a queued prompt is done when the agent has it; its turn goes on to the answer', async () => {
  await agents.launch();
  await agents.ready();
  const text = '[[slow=1500]] say hello\n\tin two lines, 漢字 e\u0301';
  const record = await request(await queued(text));
  expect(record).toMatchObject({
    state: 'completed',
    turn: {
      state: 'running',
      outcome: null,
      delivery: { state: 'confirmed', evidence: expect.stringMatching(/^user row at byte \d+ of projects/) },
    },
  });
  const goOn = agents.standStill();
  expect(await agents.status()).toMatchObject({ active_execution: 'running', queue_depth: 0 });
  expect(await direct('meanwhile')).toMatchObject({
    status: 409,
    body: { detail: { error_code: 'not_ready', sent: false } },
  });
  goOn();
  expect(await agents.turn(record.turn.turn_id)).toMatchObject({
    state: 'ended',
    outcome: 'completed',
    error: null,
    exit_code: null,
    provider_session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    answer: { text: expect.stringMatching(/^You said: say hello\n/), truncated: false },
    usage: {
      model: 'standin-1',
      scope: 'turn',
      amounts: { output_tokens: expect.any(Number) },
    },
  });
  expect(prompts()).toHaveLength(1);
  expect(agents.events().map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['turn_claimed', 'turn_handed_over', 'turn_confirmed', 'completed', 'turn_ended']),
  );
  expect(readdirSync(join(agents.agent.root, 'gateway/run/paste'))).toEqual([]);
  expect(agents.tmux.run('list-buffers')).toBe('');
});

test('ten at once are delivered in their order, and none into another', async () => {
  await agents.launch();
  await agents.ready();
  const wanted = Array.from({ length: 10 }, (_, number) => `prompt ${number}`);
  const ids = await Promise.all(wanted.map(queued));
  const records = await Promise.all(ids.map(request));
  expect(records.map(({ state }) => state)).toEqual(ids.map(() => 'completed'));
  expect([...prompts()].sort()).toEqual(wanted);
  const { requests } = (await ask('GET', '/v1/requests')).body;
  const accepted = requests.map(({ prompt_preview: preview }: { prompt_preview: string }) => preview);
  expect(prompts()).toEqual(accepted.reverse());
});

test('four direct prompts at once: one is sent, and three are refused', async () => {
  await agents.launch();
  await agents.ready();
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((text) => direct(text)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(prompts()).toHaveLength(1);
});

test('control characters are left out, which the evidence says; only of them is no prompt', async () => {
  await agents.launch();
  await agents.ready();
  const sent = await direct('one\u001b[201~\rtwo\u0007 three\u0003');
  expect(sent.status).toBe(200);
  expect((await agents.turn(idOf(sent))).delivery.evidence).toMatch(
    /; 8 control characters were left out of the prompt$/,
  );
  expect(prompts()).toEqual(['one\ntwo three']);
  expect(await direct('\u001b\u0007')).toMatchObject({ status: 422, body: { detail: { sent: false } } });
  expect(
    await ask('POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt: '\u0007' } }),
  ).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/^payload\.prompt: Nothing of this prompt can be typed/) },
  });
});

test('a prompt of 300 KiB arrives whole; a longer one is refused before anything is queued', async () => {
  await agents.launch();
  await agents.ready();
  const long = 'a long prompt '
    .repeat(30_000)
    .slice(0, 300 * 1024 - 3)
    .concat('end');
  const sent = await direct(long);
  expect(sent.status).toBe(200);
  expect(agents.taken()[0].text === long).toBe(true);
  expect(
    await ask('POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt: `${long}x` } }),
  ).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('at most 307200 bytes') },
  });
  expect((await agents.status()).queue_depth).toBe(0);
});

test("somebody's draft is left alone, and waited for; somebody who scrolls is not", async () => {
  await agents.launch();
  await agents.ready();
  await agents.keys('my own draft');
  await expect.poll(async () => (await agents.state()).surface.editing_input).toBe('yes');
  const id = await queued('after the draft');
  expect((await ask('GET', `/v1/requests/${id}?wait_seconds=1`)).body).toMatchObject({
    state: 'accepted',
    waiting_reason: { code: 'not_ready', detail: expect.stringContaining("surface.editing_input='yes'") },
  });
  expect(await direct('now', { force: true })).toMatchObject({
    status: 422,
    body: {
      detail: {
        detail: expect.stringMatching(/not delivered: the composer /),
      },
    },
  });
  expect(agents.composer()).toMatch(/^❯\smy own draft$/);
  await agents.keys('<[C-u]>');
  agents.tmux.run('copy-mode', '-t', `=${agents.agent.session}:0.0`);
  expect(await request(id)).toMatchObject({ state: 'completed' });
  expect(prompts()).toEqual(['after the draft']);
});

test('the model of a prompt, and conversations but a fresh one, cannot be chosen', async () => {
  await agents.launch();
  await agents.ready();
  expect((await direct('x', { execution: { model: { name: 'm' } } })).body.detail).toMatchObject({
    error_code: 'invalid_execution',
  });
  expect((await direct('x', { chat_session: { mode: 'current' } })).body.detail).toMatchObject({
    error_code: 'invalid_chat_session',
  });
  expect(prompts()).toEqual([]);
});

test('a fresh conversation is asked for, and gets the prompt', async () => {
  await agents.launch();
  await agents.ready();
  const first = await agents.turn(idOf(await direct('one')));
  await agents.ready();
  const sent = await direct('two', { chat_session: { mode: 'new' } });
  expect(sent.status).toBe(200);
  const second = await agents.turn(idOf(sent));
  expect(second).toMatchObject({
    outcome: 'completed',
    answer: { text: expect.stringContaining('(turn 1 of') },
  });
  expect(second.provider_session_id).not.toBe(first.provider_session_id);
  expect(prompts()).toEqual(['one', 'two']);
});

test('an interrupt ends the turn, early or late, and leaves the composer empty; without a turn it does nothing', async () => {
  await agents.launch();
  await agents.ready();
  expect(await agents.interrupted()).toMatchObject({ state: 'completed', turn: null });
  for (const text of ['[[slow=60000]] early', '[[words=400]] [[drip=50]] late']) {
    await agents.ready();
    const record = await request(await queued(text));
    if (text.endsWith('late')) await expect.poll(agents.screen).toContain('You said');
    expect(await agents.interrupted()).toMatchObject({ state: 'completed', error: null });
    expect(await agents.turn(record.turn.turn_id)).toMatchObject({
      outcome: 'interrupted',
      error: { code: 'interrupted' },
    });
    expect(agents.composer()).toMatch(/^❯\s*$/);
  }
  await agents.ready();
  expect((await direct('and on')).status).toBe(200);
});

test('a forced prompt ends the turn that runs and takes its place', async () => {
  await agents.launch();
  await agents.ready();
  const running = idOf(await direct('[[slow=60000]] one'));
  const forced = await direct('two', { force: true });
  expect([forced.status, forced.body.forced]).toEqual([200, true]);
  expect(await agents.turn(running)).toMatchObject({ outcome: 'replaced', error: { code: 'replaced' } });
  expect(await agents.turn(idOf(forced))).toMatchObject({ outcome: 'completed' });
  expect(prompts()).toEqual(['[[slow=60000]] one', 'two']);
});

test('reminders prompt and press keys; keys also where no prompt may go', async () => {
  await agents.launch();
  await agents.ready();
  const remind = (more: object) =>
    ask('POST', '/v1/reminders', {
      schema_version: 1,
      reminders: [{ mode: 'one_off', title: 't', ranking: 0, start_after_seconds: 0.01, ...more }],
    });
  expect((await remind({ prompt: 'remember' })).status).toBe(200);
  await expect.poll(prompts).toEqual(['remember']);
  await agents.ready();
  expect((await remind({ send_keys: { sequence: '<[F1]>' } })).body.detail).toMatch(
    /The key <\[F1\]> cannot be sent/,
  );
  expect((await direct('[[tool=Bash {"command":"ls"}]] look')).status).toBe(200);
  await expect.poll(async () => (await agents.state()).parsed_surface?.ui_context).toBe('approval_prompt');
  expect((await remind({ send_keys: { sequence: '1', ensure_enter: false } })).status).toBe(200);
  await expect.poll(() => agents.ledger().find(({ key }) => key !== undefined)?.key).toBe('1');
  await expect.poll(async () => (await ask('GET', '/v1/reminders')).body.reminders).toEqual([]);
  await agents.ready();
  expect((await remind({ send_keys: { sequence: 'typed by a reminder' } })).status).toBe(200);
  await expect.poll(prompts).toContain('typed by a reminder');
});

test('a gateway that stops leaves the turn to the next one, which sees it to its end', async () => {
  await agents.launch();
  await agents.ready();
  const record = await request(await queued('[[slow=4000]] over the stop'));
  process.kill(agents.gatewayPid(), 'SIGTERM');
  await expect
    .poll(() =>
      call(agents.agent.url, 'GET', '/health').then(
        () => 'up',
        () => 'down',
      ),
    )
    .toBe('down');
  await agents.attach();
  expect(await agents.turn(record.turn.turn_id)).toMatchObject({
    outcome: 'completed',
    error: null,
    answer: { text: expect.stringContaining('You said: over the stop') },
  });
  expect(prompts()).toEqual(['[[slow=4000]] over the stop']);
});

test.each([
  ['before the agent took it', 'drop-enter=9', 0, { state: 'failed', error: { code: 'gateway_restarted' } }],
  ['when the agent has just taken it', 'late-echo=1500', 1, { state: 'completed' }],
])(
  'a gateway killed while it types, %s: the next one finds that out, and types it never again',
  async (_when, switches, arrivals, end) => {
    await agents.launch(switches);
    await agents.ready();
    const id = await queued('killed on its way');
    const waiting = await queued('the next');
    const arrived = () => prompts().filter((text) => text === 'killed on its way').length;
    const isThen = () => (arrivals === 0 ? agents.composer()?.includes('killed') : arrived() > 0);
    await expect.poll(isThen, { interval: 20 }).toBe(true);
    process.kill(agents.gatewayPid(), 'SIGKILL');
    await agents.attach();
    expect(await request(id)).toMatchObject(end);
    // Its agent gets an Enter now and then.
    if (arrivals > 0) expect(await request(waiting)).toMatchObject({ state: 'completed' });
    expect(arrived()).toBe(arrivals);
    expect(agents.composer()).not.toContain('killed');
  },
);
