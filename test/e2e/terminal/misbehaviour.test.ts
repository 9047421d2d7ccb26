import { describe, expect, test } from 'vitest';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();
const { ask, direct } = agents;
const text = 'first line\nand the second';

/** The times that the agent took the prompt, by its own ledger. */
const took = () => agents.taken().filter(({ prompt }) => prompt === text).length;

test.each([
  ['clock', /user row at byte/],
  ['redraw', /user row at byte/],
  ['late-echo=800', /user row at byte/],
  ['slow-draw=400', /user row at byte/],
  ['long-output=400', /user row at byte/],
  ['no-alternate-screen', /user row at byte/],
  ['drop-enter=1', /user row at byte/],
  ['enter-as-newline=1', /user row at byte/],
  // Without a session file the screen alone says it.
  ['session-file=missing', /^the composer emptied and /],
  ['session-file=read-only', /^the composer emptied and /],
  ['session-file=late:5000', /^the composer emptied and /],
])('an agent with %s gets a prompt once, and the next one', async (switches, evidence) => {
  await agents.launch(switches);
  await agents.ready();
  const sent = await direct(text);
  expect([sent.status, sent.body]).toMatchObject([200, { sent: true }]);
  const turn = await agents.turn(sent.headers.get('x-houmao-turn-id') ?? '');
  expect(turn).toMatchObject({
    state: 'ended',
    outcome: 'completed',
    delivery: { state: 'confirmed', evidence: expect.stringMatching(evidence) },
  });
  expect(took()).toBe(1);
  // A session file that comes late may still say busy, and keep it back for a moment.
  await expect.poll(async () => (await direct('the next')).status, { interval: 300 }).toBe(200);
  expect(agents.taken().map(({ prompt }) => prompt)).toEqual([text, 'the next']);
});

test.each([
  ['drop-enter=2', 'Enter was pressed 2 times and not taken'],
  ['enter-as-newline=2', 'Enter was pressed 2 times and not taken'],
  ['swallow-paste=1', 'never appeared'],
  ['deaf-start=9000', 'never appeared'],
])('an agent with %s has nothing of the prompt, and that is said', async (switches, why) => {
  await agents.launch(switches);
  await agents.ready();
  const refused = await direct(text);
  expect([refused.status, refused.body.detail]).toMatchObject([
    422,
    { sent: false, error_code: 'dispatch_failed', detail: expect.stringContaining(why) },
  ]);
  expect(agents.composer()).toMatch(/^❯\s*$/);
  // Nothing of a lost prompt is left for the next one to be glued to.
  await expect.poll(async () => (await direct('the next')).status, { interval: 500 }).toBe(200);
  expect(agents.taken().map(({ prompt }) => prompt)).toEqual(['the next']);
});

describe.each([
  ['folded', Array.from({ length: 28 }, (_, n) => `and word${n}`).join(' ')],
  ['wide', Array.from({ length: 20 }, (_, n) => `漢字${n}全角`).join('')],
  ['of two rows with marks', Array.from({ length: 24 }, (_, n) => `e\u0301te\u0301${n}`).join('\u3000')],
])('a text that is %s, in a box that shows the last rows of it', (_kind, long) => {
  const small = async (switches: string) => {
    const { session } = await agents.launch(switches);
    agents.tmux.run('resize-window', '-t', session, '-x', '40', '-y', '8');
    await agents.ready();
  };

  test('goes in', async () => {
    await small('');
    expect(await agents.request(await agents.queued(long))).toMatchObject({ state: 'completed' });
    expect(agents.taken().map(({ prompt }) => prompt)).toEqual([long.normalize('NFC')]);
  });

  test('is taken out again where it was not taken', async () => {
    await small('drop-enter=2');
    expect(await agents.request(await agents.queued(long))).toMatchObject({
      state: 'failed',
      turn: { delivery: { state: 'failed' } },
    });
    expect(agents.composer()).toMatch(/^❯\s*$/);
    await expect.poll(async () => (await direct('the next')).status, { interval: 500 }).toBe(200);
    expect(agents.taken().map(({ prompt }) => prompt)).toEqual(['the next']);
  });
});

test('a person who begins to scroll between paste and Enter keeps no prompt back', async () => {
  const { session } = await agents.launch();
  await agents.ready();
  agents.tmux.run('set-hook', '-t', session, 'after-paste-buffer', 'copy-mode');
  expect((await direct(text)).status).toBe(200);
  agents.tmux.run('set-hook', '-u', '-t', session, 'after-paste-buffer');
  await agents.ready();
  expect((await direct('the next')).status).toBe(200);
  expect(agents.taken().map(({ prompt }) => prompt)).toEqual([text, 'the next']);
});

test('a prompt over which the agent asks for permission is delivered, by what the screen alone shows', async () => {
  await agents.launch('session-file=missing');
  await agents.ready();
  const sent = await direct('list the files [[tool=Bash {"command":"ls"}]]');
  expect([sent.status, sent.body]).toMatchObject([200, { sent: true }]);
  const { body } = await ask('GET', `/v1/turns/${sent.headers.get('x-houmao-turn-id')}`);
  expect(body).toMatchObject({
    state: 'running',
    delivery: { state: 'confirmed', evidence: expect.stringMatching(/asks for an answer \(permission\)$/) },
  });
});

test('an agent that is deaf after each turn loses what is typed then, and no answer says that it has it', async () => {
  await agents.launch('deaf-after-turn=3000');
  await agents.ready();
  expect((await direct('one')).status).toBe(200);
  await agents.ready();
  const second = await direct('two');
  const heard = agents.taken().some(({ prompt }) => prompt === 'two');
  expect([second.status, second.body.sent ?? second.body.detail.sent]).toEqual(
    heard ? [200, true] : [422, false],
  );
});

test('a prompt that an interrupted agent put back is taken out again, also when it takes no keys at first', async () => {
  await agents.launch('deaf-after-turn=5000');
  await agents.ready();
  expect((await direct('[[slow=60000]] put back')).status).toBe(200);
  expect(await agents.interrupted()).toMatchObject({ state: 'completed', result: { outcome: 'stopped' } });
  expect(agents.composer()).toContain('put back');
  await expect.poll(agents.composer).toMatch(/^❯\s*$/);
  expect(agents.taken()).toHaveLength(1);
});

test('also by the next gateway, when the one that interrupted was killed: the turn ends, and the queue goes on', async () => {
  await agents.launch('deaf-after-turn=6000');
  await agents.ready();
  const sent = await direct('[[slow=60000]] put back');
  await ask('POST', '/v1/requests', { kind: 'interrupt', payload: {} });
  await expect.poll(agents.composer).toContain('put back');
  process.kill(agents.gatewayPid(), 'SIGKILL');
  await agents.attach();
  expect(await agents.turn(sent.headers.get('x-houmao-turn-id') ?? '')).toMatchObject({
    state: 'ended',
    outcome: 'interrupted',
  });
  await expect.poll(agents.composer).toMatch(/^❯\s*$/);
  await agents.request(await agents.queued('the next'));
  expect(agents.taken().map(({ prompt }) => prompt)).toEqual(['[[slow=60000]] put back', 'the next']);
});

test('a gateway that is asked to stop while it interrupts completes that: the turn is reported as interrupted', async () => {
  // Deaf for a moment: what it put back stands there so long.
  await agents.launch('deaf-after-turn=1000');
  await agents.ready();
  const sent = await direct('[[slow=60000]] put back');
  const drawn = agents.drawing();
  await ask('POST', '/v1/requests', { kind: 'interrupt', payload: {} });
  await expect.poll(drawn, { interval: 10 }).toContain('put back');
  process.kill(agents.gatewayPid(), 'SIGTERM');
  await expect.poll(agents.composer).toMatch(/^❯\s*$/);
  await agents.attach();
  expect(await agents.turn(sent.headers.get('x-houmao-turn-id') ?? '')).toMatchObject({
    state: 'ended',
    outcome: 'interrupted',
    answer: null,
  });
});

test('what an agent draws only after it was given up is taken out again', async () => {
  await agents.launch();
  await agents.ready();
  const drawn = agents.drawing();
  const goOn = agents.standStill();
  expect((await direct('too late')).status).toBe(422);
  goOn();
  await expect.poll(drawn).toContain('too late');
  await expect.poll(agents.composer).toMatch(/^❯\s*$/);
  expect(agents.taken()).toEqual([]);
});

test('also by the next gateway, when the one that pasted it was killed', async () => {
  await agents.launch();
  await agents.ready();
  const drawn = agents.drawing();
  const goOn = agents.standStill();
  expect((await direct('too late')).status).toBe(422);
  process.kill(agents.gatewayPid(), 'SIGKILL');
  await agents.attach();
  goOn();
  await expect.poll(drawn).toContain('too late');
  await expect.poll(agents.composer).toMatch(/^❯\s*$/);
  expect(agents.taken()).toEqual([]);
});

test('while screen and agent contradict each other nothing is typed, and both are named', async () => {
  await agents.launch('session-file=contradicting');
  await expect.poll(async () => (await agents.status()).terminal_surface_eligibility).toBe('unknown');
  await expect
    .poll(async () => (await direct(text)).body.detail)
    .toMatchObject({
      error_code: 'not_ready',
      detail: expect.stringContaining("(screen='ready', self_report='busy')"),
    });
  expect(agents.taken()).toEqual([]);
  expect(agents.composer()).toMatch(/^❯\s*$/);
});

test('a dialog that comes up is never answered: the next prompt waits for it, or is refused', async () => {
  await agents.launch();
  await agents.ready();
  expect((await direct('[[tool=Bash {"command":"ls"}]] look')).status).toBe(200);
  await expect.poll(async () => (await agents.state()).parsed_surface?.ui_context).toBe('approval_prompt');
  expect(await direct('into the dialog')).toMatchObject({ status: 409 });
  const refused = await direct('forced into the dialog', { force: false });
  expect(refused.body.detail.detail).toMatch(/active_execution='running'|blocked='permission'/);
  const id = await agents.queued('after the dialog');
  const detail = expect.stringMatching(/a person \(blocked='permission'\)/);
  await expect
    .poll(async () => (await ask('GET', `/v1/requests/${id}`)).body)
    .toMatchObject({ state: 'accepted', waiting_reason: { code: 'busy', detail } });
  expect(agents.ledger().filter(({ key }) => key !== undefined)).toEqual([]);
  await agents.keys('<[Enter]>');
  expect(await agents.request(id)).toMatchObject({ state: 'completed' });
});

test('a tool that crashed leaves a shell: prompts are refused, and the shell gets none', async () => {
  await agents.launch();
  await agents.ready();
  const first = await direct('[[slow=60000]] crashes');
  expect(first.status).toBe(200);
  process.kill(agents.toolPid(), 'SIGKILL');
  expect(await agents.turn(first.headers.get('x-houmao-turn-id') ?? '')).toMatchObject({
    outcome: 'failed',
    error: { code: 'agent_crashed' },
  });
  await expect.poll(async () => (await agents.state()).diagnostics.availability).toBe('tui_down');
  const queued = await agents.queued('echo fed > fed');
  for (const force of [false, true]) {
    const refused = await direct('echo fed > fed', { force });
    expect([refused.status, refused.body.detail.sent]).toEqual([force ? 422 : 409, false]);
  }
  expect((await ask('GET', `/v1/requests/${queued}`)).body).toMatchObject({
    state: 'accepted',
    waiting_reason: {
      code: 'not_ready',
      detail: expect.stringContaining("diagnostics.availability='tui_down'"),
    },
  });
  const refused = {
    status: 503,
    body: {
      detail: expect.stringMatching(/^The tool has ended .* Start claude there again: /),
    },
  };
  expect(await agents.keys('echo fed > fed<[Enter]>')).toMatchObject(refused);
  const keys = { mode: 'one_off', title: 'k', ranking: 0, start_after_seconds: 0.01 };
  const reminders = [{ ...keys, send_keys: { sequence: 'echo fed > fed' } }];
  expect((await ask('POST', '/v1/reminders', { reminders })).status).toBe(200);
  const deferred = {
    kind: 'reminder_deferred',
    detail: expect.stringContaining("diagnostics.availability='tui_down'"),
  };
  await expect.poll(agents.events).toContainEqual(expect.objectContaining(deferred));
  expect(agents.events().filter(({ kind }) => kind === 'control_input')).toEqual([]);
  expect(agents.screen()).not.toContain('fed > fed');
});
