// A program that was written for 0.1.0 and a gateway: `gateway.js <base url>` prints as JSON what it saw.
import { createGatewayClient, isGatewayError, PromptFailed } from '@houmao/sdk';

const client = createGatewayClient({ baseUrl: process.argv[2] ?? '', maxRetries: 0 });
const longPrompt = '[[slow=60000]] Work for a minute.';

/** Nothing waits for ever: a turn that does not begin is seen as an event that does not come. */
const limit = () => AbortSignal.timeout(30_000);

async function begun(requestId: string): Promise<void> {
  for await (const event of client.events({ after: 0, kinds: ['turn_claimed'], signal: limit() }))
    if (event.kind === 'turn_claimed' && event.data.request_id === requestId) return;
  throw new Error(`the turn of ${requestId} did not begin`);
}

async function health() {
  const [{ status }, { request_admission, queue_depth }] = [
    await client.getHealth(),
    await client.getStatus(),
  ];
  return { status, request_admission, queue_depth };
}

async function prompts() {
  const updates: string[] = [];
  const answer = await client.prompt('Hello', { onUpdate: ({ state }) => void updates.push(state) });
  const { requestId } = await client.submit('Hello again', { idempotencyKey: 'hello-again' });
  const repeated = await client.submit('Hello again', { idempotencyKey: 'hello-again' });
  const again = await client.request(requestId).answer({ timeoutMs: 30_000 });
  const { turn } = await client.getRequest({ path: { request_id: requestId }, query: { wait_seconds: 1 } });
  const { outcome } = await client.getTurn({ path: { turn_id: turn?.turn_id ?? '' } });
  const direct = await (await client.control('Hello, now')).answer({ timeoutMs: 30_000 });
  return {
    answers: [answer, again, direct].map((text) => /Hello\S*(?: again| now)?/.exec(text)?.[0]),
    last: updates.at(-1),
    isOnce: repeated.requestId === requestId,
    outcome,
  };
}

async function queue() {
  await client.updateQueue({ body: { paused: true } });
  const handle = await client.submit('This one waits');
  const { waiting_reason, queue_position } = await handle.record();
  const { state } = await handle.cancel();
  const paused = (await client.getQueue()).paused;
  await client.updateQueue({ body: { paused: false } });
  const listed: string[] = [];
  for await (const request of client.requests({ state: 'cancelled' }))
    listed.push(request.prompt_preview ?? '');
  return { paused, waiting_reason: waiting_reason?.code, queue_position, state, listed };
}

async function interrupts() {
  const handle = await client.submit(longPrompt);
  await begun(handle.requestId);
  await handle.interrupt();
  const error: unknown = await handle.answer({ timeoutMs: 30_000 }).catch((thrown: unknown) => thrown);
  if (!(error instanceof PromptFailed)) throw error;
  return { errorCode: error.errorCode, outcome: (await handle.record()).turn?.outcome };
}

async function events() {
  const kinds: string[] = [];
  for await (const event of client.events({ after: 0, signal: limit() })) {
    if (!kinds.includes(event.kind)) kinds.push(event.kind);
    if (event.kind === 'failed') break;
  }
  return kinds.filter((kind) => /^(accepted|turn_claimed|completed|cancelled|failed)$/.test(kind)).sort();
}

async function mail() {
  const { address } = await client.getMailStatus();
  const headers = { 'Idempotency-Key': 'a-note' };
  await client.sendMail({ body: { to: [address], subject: 'A note', body_content: 'Text' }, headers });
  const { messages } = await client.listMail({ body: { box: 'inbox', read_state: 'unread' } });
  const message_ref = messages[0]?.message_ref ?? '';
  const { message } = await client.readMail({ body: { message_ref } });
  await client.archiveMail({ body: { message_refs: [message_ref] } });
  const left = (await client.listMail({ body: { box: 'inbox' } })).messages.length;
  const { enabled } = await client.getMailNotifier();
  return { subjects: messages.map(({ subject }) => subject), text: message.body_text, left, enabled };
}

async function reminders() {
  const { reminders: made } = await client.createReminders({
    body: {
      reminders: [{ mode: 'one_off', title: 'Later', prompt: 'Look', ranking: 0, start_after_seconds: 3600 }],
    },
  });
  const reminder_id = made[0]?.reminder_id ?? '';
  const listed = (await client.listReminders()).reminders.map(({ title }) => title);
  const { deleted } = await client.deleteReminder({ path: { reminder_id } });
  return { listed, deleted };
}

async function refusals() {
  const unknown = client.getRequest({ path: { request_id: 'gwreq-none' } });
  const broken = client.submitRequest({ body: { kind: 'submit_prompt', payload: { prompt: '' } } });
  const codes = [];
  for (const call of [unknown, broken]) {
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    if (!isGatewayError(error)) throw error;
    codes.push([error.status, error.errorCode]);
  }
  return codes;
}

const seen = {
  health: await health(),
  prompts: await prompts(),
  queue: await queue(),
  interrupts: await interrupts(),
  events: await events(),
  mail: await mail(),
  reminders: await reminders(),
  refusals: await refusals(),
};
console.log(JSON.stringify(seen));
