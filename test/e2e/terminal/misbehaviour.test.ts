import { describe, expect, test } from 'vitest';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();
const { ask } = agents;
const direct = (prompt: string, more: object = {}) => ask('POST', '/v1/control/prompt', { prompt, ...more });

describe.each([
  ['clock', 200],
  ['redraw', 200],
  ['late-echo=800', 200],
  ['slow-draw=400', 200],
  ['drop-enter=1', 200],
  ['drop-enter=2', 422],
  ['enter-as-newline=1', 200],
  ['enter-as-newline=2', 422],
  ['swallow-paste=1', 422],
  ['deaf-start=3000', 200],
  ['session-file=missing', 200],
  ['session-file=read-only', 200],
  ['session-file=late:1500', 200],
  ['no-alternate-screen', 200],
  ['long-output=400', 200],
])('an agent with %s', (switches, wanted) => {
  test('gets a prompt once, or is said not to have it', async () => {
    await agents.launch(switches);
    await agents.ready();
    const begun = Date.now();
    const sent = await direct('first\nand second');
    console.log(switches, sent.status, Date.now() - begun, sent.body.detail?.detail ?? '');
    const id = sent.headers.get('x-houmao-turn-id');
    if (id) {
      const t = (await ask('GET', `/v1/turns/${id}?wait_seconds=15`)).body;
      console.log(switches, JSON.stringify([t.state, t.delivery, t.outcome, t.error, t.answer]));
    }
    expect(sent.status).toBe(wanted);
    await agents.ready();
    const again = await direct('again');
    console.log(switches, 'again', again.status, again.body.detail?.detail ?? '');
    console.log(agents.taken().map((row) => row.prompt));
  });
});
