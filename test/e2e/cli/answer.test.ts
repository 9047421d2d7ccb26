// A question of an agent to a person is shown with its identity, and an answer reaches that question or none.
import { expect, test } from 'vitest';
import { useTerminalAgents } from '../terminal/terminal-agent.js';

const agents = useTerminalAgents();
const { run, launch, launchWith, ask, queued } = agents;
const asksFor = '[[tool=Bash {"command":"ls"}]]';
const dialogNow = async () => (await ask('GET', '/v1/control/tui/dialog')).body.dialog;
const asks = () => expect.poll(dialogNow).not.toBeNull();
const events = async (...kinds: string[]) =>
  (await ask('GET', '/v1/events?limit=200')).body.events.filter(({ kind }: { kind: string }) =>
    kinds.includes(kind),
  );
const answer = (...flags: string[]) => run('agents', 'answer', 'alpha', ...flags);

test('a question is shown with its choices and answered by its number, and its events say by what', async () => {
  await launch();
  await agents.ready();
  const id = await queued(`go ${asksFor}`);
  await asks();
  const shown = JSON.parse((await answer('--json')).stdout).dialog;
  expect(shown).toMatchObject({
    kind: 'permission',
    choices: [{ number: 1, label: 'Yes', marked: true }, {}, {}, { number: 4, label: 'No', marked: false }],
  });
  const reported = await answer();
  expect(reported).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`--dialog ${shown.dialog_id} --choose 1`),
  });
  const answered = await answer('--dialog', shown.dialog_id, '--choose', '1', '--json');
  expect(JSON.parse(answered.stdout)).toMatchObject({
    outcome: 'answered',
    dialog_id: shown.dialog_id,
    dialog: null,
  });
  expect((await agents.request(id)).state).toBe('completed');
  expect(await events('dialog_shown', 'dialog_closed')).toMatchObject([
    {
      kind: 'dialog_shown',
      data: { dialog_id: shown.dialog_id, dialog_kind: 'permission', text: shown.text },
    },
    { kind: 'dialog_closed', data: { dialog_id: shown.dialog_id, answered_by: 'choose' } },
  ]);
  expect(await answer('--choose', '1', '--json')).toMatchObject({ code: 1 });
  expect(JSON.parse((await answer('--json')).stdout)).toEqual({ dialog: null });
});

test('an answer to a question that has gone reaches none that has the same words', async () => {
  await launch();
  await agents.ready();
  await queued(`first ${asksFor} ${asksFor}`);
  await asks();
  const first = await dialogNow();
  const answered = await ask('POST', '/v1/control/tui/dialog', { dialog_id: first.dialog_id, choose: 1 });
  await expect.poll(dialogNow).not.toBeNull();
  const second = await dialogNow();
  expect(second.text).toBe(first.text);
  expect(second.dialog_id).not.toBe(first.dialog_id);
  expect(answered.status).toBe(200);
  for (const late of [{ choose: 1 }, { choose: 3 }, { keys: '<[Enter]>' }]) {
    const refused = await ask('POST', '/v1/control/tui/dialog', { dialog_id: first.dialog_id, ...late });
    expect([refused.status, refused.headers.get('x-houmao-error-code')]).toEqual([409, 'dialog_changed']);
  }
  expect(await dialogNow()).toEqual(second);
  const done = await answer('--dialog', second.dialog_id, '--keys', '<[Escape]>', '--json');
  expect(JSON.parse(done.stdout).outcome).toBe('answered');
  expect((await events('dialog_closed')).at(-1).data).toMatchObject({
    dialog_id: second.dialog_id,
    answered_by: 'keys',
  });
});

test('keys that leave the question standing are reported so, and it has another id then', async () => {
  await launchWith('trust-dialog');
  const before = JSON.parse((await answer('--json')).stdout).dialog;
  const moved = JSON.parse((await answer('--keys', '<[Down]>', '--json')).stdout);
  expect(moved).toMatchObject({ outcome: 'still_shown', dialog_id: before.dialog_id });
  expect(moved.dialog.dialog_id).not.toBe(before.dialog_id);
  expect(await answer('--dialog', before.dialog_id, '--choose', '1', '--json')).toMatchObject({ code: 1 });
  expect((await answer('--dialog', moved.dialog.dialog_id, '--choose', '7')).stderr).toMatch(/no choice 7/);
  expect(await answer('--choose', '1', '--keys', 'x')).toMatchObject({ code: 2 });
  const trusted = await answer('--dialog', moved.dialog.dialog_id, '--choose', '2', '--json');
  expect(JSON.parse(trusted.stdout)).toMatchObject({ outcome: 'answered', dialog: null });
  expect(await answer('--dialog', before.dialog_id)).toMatchObject({ code: 2 });
});

test('while the screen is half drawn no key is pressed, and it is not called a screen that asks nothing', async () => {
  await launch();
  await agents.ready();
  await queued(`go ${asksFor}`);
  await asks();
  const { dialog_id } = await dialogNow();
  const goOn = agents.standStill();
  agents.clear();
  const refused = await ask('POST', '/v1/control/tui/dialog', { dialog_id, choose: 1 });
  goOn();
  expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining('cannot be read') } });
  expect(refused.headers.get('x-houmao-done')).toBeNull();
});
