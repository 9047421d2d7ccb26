import { afterEach, expect, test } from 'vitest';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { takenPrompts } from '../recovery/evidence.js';
import { useTerminalAgents } from '../terminal/terminal-agent.js';

// Prompts for an agent in a terminal, of which the server itself is the owner, or its gateway.

const agents = useTerminalAgents();
const ledger = `${agents.folder}/ledger`;
let server: ServerProcess | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

async function start(): Promise<ServerProcess> {
  server = await startManagedServer(managedHost(agents.folder), agents.folder, {
    environment: { TMUX_TMPDIR: process.env.TMUX_TMPDIR },
  });
  return server;
}
const path = (rest: string): string => `/houmao/agents/alpha${rest}`;
const prompt = (on: ServerProcess, text: string) =>
  on.ask('POST', path('/requests'), { request_kind: 'submit_prompt', prompt: text });
const recordOf = async (on: ServerProcess, turnId: string | null) =>
  (await on.ask('GET', path(`/turns/${turnId}/record?wait_seconds=30`))).body;

test('the server types prompts, follows their turns, and goes on with one after a restart; then a gateway does', async () => {
  await agents.launch();
  await agents.run('agents', 'gateway', 'detach', 'alpha');
  let on = await start();
  const noTurns = await on.ask('POST', path('/turns'), { prompt: 'x' });
  expect(noTurns).toMatchObject({ status: 400, body: { detail: expect.stringContaining('terminal') } });
  const model = await on.ask('POST', path('/requests'), {
    request_kind: 'submit_prompt',
    prompt: 'x',
    execution: { model: { name: 'tiny' } },
  });
  expect(model.status).toBe(422);
  const idle = await on.ask('POST', path('/requests'), { request_kind: 'interrupt' });
  expect(idle).toMatchObject({ status: 200, body: { disposition: 'no_op' } });

  const first = await prompt(on, 'hello terminal');
  expect(first).toMatchObject({ status: 200, body: { disposition: 'accepted', headless_turn_id: null } });
  const firstTurn = first.headers.get('x-houmao-turn-id');
  expect(await recordOf(on, firstTurn)).toMatchObject({
    outcome: 'completed',
    delivery: { state: 'confirmed' },
    answer: { text: expect.stringContaining('hello terminal') },
  });

  const second = await prompt(on, '[[slow=2000]] over the restart');
  const secondTurn = second.headers.get('x-houmao-turn-id');
  const goOn = agents.standStill();
  const busy = await prompt(on, 'in between');
  expect(busy).toMatchObject({ status: 409, body: { detail: expect.stringContaining(String(secondTurn)) } });
  await on.kill();
  on = await start();
  goOn();
  expect(await recordOf(on, secondTurn)).toMatchObject({ outcome: 'completed', error: null });

  const third = await prompt(on, '[[slow=2000]] over the attach');
  const thirdTurn = third.headers.get('x-houmao-turn-id');
  const goOnAgain = agents.standStill();
  await agents.attach();
  goOnAgain();
  expect(await recordOf(on, thirdTurn)).toMatchObject({ outcome: 'completed' });
  const fourth = await prompt(on, 'through the gateway');
  expect(fourth.headers.get('x-houmao-request-id')).toMatch(/^gwreq-/);
  expect(await recordOf(on, fourth.headers.get('x-houmao-turn-id'))).toMatchObject({ outcome: 'completed' });
  expect(takenPrompts(ledger).map((taken) => taken.prompt)).toEqual([
    'hello terminal',
    ...['[[slow=2000]] over the restart', '[[slow=2000]] over the attach', 'through the gateway'],
  ]);
}, 120_000);

test('an interrupt reaches the turn that the server typed', async () => {
  await agents.launch();
  await agents.run('agents', 'gateway', 'detach', 'alpha');
  const on = await start();
  const begun = await prompt(on, '[[slow=60000]] for long');
  expect(begun.status).toBe(200);
  const stopped = await on.ask('POST', path('/requests'), { request_kind: 'interrupt' });
  expect(stopped).toMatchObject({ status: 200, body: { disposition: 'accepted' } });
  const turnId = begun.headers.get('x-houmao-turn-id');
  expect(await recordOf(on, turnId)).toMatchObject({ outcome: 'interrupted' });
}, 60_000);
