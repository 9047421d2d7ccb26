// The parts of turns in a terminal: from the agent's own files and its screen, over gateways that come and go.
import { expect, test } from 'vitest';
import { readStream, type StreamedEvent, wholeStream } from '../../support/event-stream.js';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();

/** The turn of a request, as soon as it has one. */
async function turnOf(id: string): Promise<string> {
  const path = `/v1/requests/${id}?wait_seconds=30&wait_until=started`;
  return (await agents.ask('GET', path)).body.turn.turn_id;
}
const urlOf = (turnId: string) => `${agents.agent.url}/v1/turns/${turnId}/stream`;

/** Reads until an event, which is the last one returned. */
async function readTo(turnId: string, last: string, headers = {}): Promise<StreamedEvent[]> {
  const seen: StreamedEvent[] = [];
  for await (const each of readStream(urlOf(turnId), headers)) {
    seen.push(each);
    if (each.event === last) return seen;
  }
  return expect.fail(`it ended without ${last}`);
}
const answerFirst = async () => {
  const { dialog } = (await agents.ask('GET', '/v1/control/tui/dialog')).body;
  await agents.ask('POST', '/v1/control/tui/dialog', { dialog_id: dialog.dialog_id, choose: 1 });
};
const kindsOf = (events: readonly StreamedEvent[]) =>
  events.map(({ event }) => event).filter((kind) => kind !== 'delivery');

test('a tool, the question about it, its answer, the text, the usage and the end', async () => {
  await agents.launch();
  await agents.ready();
  const turnId = await turnOf(await agents.queued('[[tool=Bash {"command":"ls"}]] say it'));
  const asked = await readTo(turnId, 'dialog_shown');
  expect(asked.at(-1)?.data.data).toMatchObject({
    dialog_kind: 'permission',
    choices: expect.arrayContaining(['Yes', 'No']),
  });
  await answerFirst();
  const events = await wholeStream(urlOf(turnId));
  expect(kindsOf(events)).toEqual([
    'tool_use',
    'dialog_shown',
    'dialog_closed',
    'tool_result',
    'text',
    'usage',
    'ended',
  ]);
  const ended = events.at(-1)?.data.data;
  expect(ended).toMatchObject({ outcome: 'completed', delivery: { state: 'confirmed' } });
  expect(events.find(({ event }) => event === 'text')?.data.data).toEqual({
    text: ended.answer.text,
    position: 'begins',
  });
});

test('a gateway that is killed in the middle: the next one adds what is new, and nothing twice', async () => {
  await agents.launch();
  await agents.ready();
  const turnId = await turnOf(await agents.queued('[[tool=Bash {"command":"ls"}]] go on'));
  const before = await readTo(turnId, 'dialog_shown');
  process.kill(agents.gatewayPid(), 'SIGKILL');
  await agents.attach();
  const rest = readTo(turnId, 'ended', { 'Last-Event-ID': before.at(-1)?.id ?? '' });
  await expect
    .poll(async () => (await agents.ask('GET', '/v1/control/tui/dialog')).body.dialog)
    .not.toBeNull();
  await answerFirst();
  const kinds = kindsOf([...before, ...(await rest)]);
  // Each gateway has an id of its own for the question that it sees.
  const asked = ['dialog_shown', 'dialog_closed'];
  expect(kinds).toEqual(['tool_use', ...asked, ...asked, 'tool_result', 'text', 'usage', 'ended']);
  expect(kindsOf(await wholeStream(urlOf(turnId)))).toEqual(kinds);
});

test('a turn that is interrupted has its end, and its tools have none of the next turn', async () => {
  await agents.launch();
  await agents.ready();
  const first = await turnOf(await agents.queued('[[slow=60000]] long'));
  await readTo(first, 'delivery');
  await agents.interrupted();
  expect((await wholeStream(urlOf(first))).at(-1)?.data.data).toMatchObject({ outcome: 'interrupted' });
  await agents.ready();
  const second = await turnOf(await agents.queued('short'));
  expect(kindsOf(await wholeStream(urlOf(second)))).toEqual(['text', 'usage', 'ended']);
  expect(kindsOf(await wholeStream(urlOf(first)))).not.toContain('text');
});
