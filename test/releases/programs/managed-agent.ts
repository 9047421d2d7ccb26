// A program that was written for 0.1.0 and a managed-agent server: `managed-agent.js <base url>` prints as JSON what it saw of `alpha`.
import { createHoumaoClient, isHoumaoError, TurnFailed } from '@houmao/sdk/managed-agent';

const client = createHoumaoClient({ baseUrl: process.argv[2] ?? '', maxRetries: 0 });
const alpha = client.agent('alpha');
const longPrompt = '[[slow=60000]] Work for a minute.';
const soon = { timeoutMs: 30_000 };

async function agents() {
  const { status } = await client.getHealth();
  const { agents: listed } = await client.listAgents();
  const { tool } = await alpha.getAgent();
  const { availability } = await alpha.getAgentState();
  const { transport } = (await alpha.getAgentDetail()).summary_state.identity;
  return { status, tools: listed.map((agent) => agent.tool), tool, availability, transport };
}

async function turns() {
  const answer = await alpha.prompt('Hello', soon);
  const { turn_id } = await alpha.createTurn({
    body: { prompt: 'Hello again', chat_session: { mode: 'new' } },
  });
  const again = await alpha.turn(turn_id).answer(soon);
  const { status } = await alpha.getTurn({ path: { turn_id }, query: { wait_seconds: 1 } });
  const { outcome } = await alpha.getTurnRecord({ path: { turn_id } });
  const { entries } = await alpha.getAgentHistory({ query: { limit: 10 } });
  return {
    answers: [answer, again].map((text) => /Hello(?: again)?/.exec(text)?.[0]),
    status,
    outcome,
    entries: entries.length > 0,
  };
}

async function interrupts() {
  const handle = await alpha.submit(longPrompt);
  await handle.interrupt();
  const error: unknown = await handle.answer(soon).catch((thrown: unknown) => thrown);
  if (!(error instanceof TurnFailed)) throw error;
  return { errorCode: error.errorCode, outcome: error.turn?.outcome };
}

async function gateways() {
  const { gateway } = alpha;
  const attached = (await gateway.attach({ body: { execution_mode: 'detached_process' }, ...soon }))
    .gateway_health;
  const answer = await (await gateway.submit('By the gateway')).answer(soon);
  await gateway.updateQueue({ body: { paused: true } });
  const { state } = await (await gateway.submit('This one waits')).cancel();
  const kinds: string[] = [];
  for await (const { kind } of gateway.events({ after: 0, signal: AbortSignal.timeout(30_000) })) {
    kinds.push(kind);
    if (kind === 'cancelled') break;
  }
  const reminders = (await gateway.listReminders()).reminders.length;
  const subjects = await mail();
  const detached = (await gateway.detach(soon)).gateway_health;
  return {
    attached,
    answer: /By the gateway/.exec(answer)?.[0],
    state,
    last: kinds.at(-1),
    reminders,
    subjects,
    detached,
  };
}

async function mail() {
  const { address } = await alpha.getAgentMailStatus();
  await alpha.sendAgentMail({ body: { to: [address], subject: 'A note', body_content: 'Text' } });
  const { messages } = await alpha.listAgentMail({ body: { box: 'inbox' } });
  return messages.map(({ subject }) => subject);
}

async function stop() {
  const { success } = await alpha.stopAgent(soon);
  return { success, agents: (await client.listAgents()).agents.length };
}

async function refusals() {
  const error: unknown = await client
    .agent('omega')
    .getAgentState()
    .catch((thrown: unknown) => thrown);
  if (!isHoumaoError(error)) throw error;
  return [error.status, error.errorCode];
}

const seen = {
  agents: await agents(),
  turns: await turns(),
  interrupts: await interrupts(),
  gateways: await gateways(),
  refusals: await refusals(),
  stop: await stop(),
};
console.log(JSON.stringify(seen));
