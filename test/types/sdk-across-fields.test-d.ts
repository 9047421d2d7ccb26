// Refusals of the contract across fields. Compiled, never run: every line below a @ts-expect-error must not compile, all others must.
import { createGatewayClient, type Schemas } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';

type Reminder = Schemas['ReminderDefinition'];
const common = { title: 'Inbox', ranking: 1 };
const once = { ...common, mode: 'one_off', start_after_seconds: 60 } as const;

export const reminders: Reminder[] = [
  { ...once, prompt: 'Look.' },
  { ...once, prompt: 'Look.', send_keys: null, interval_seconds: null, deliver_at_utc: null },
  { ...once, send_keys: { sequence: '<[Escape]>' } },
  { ...common, mode: 'repeat', interval_seconds: 60, deliver_at_utc: '2099-01-01', prompt: 'Look.' },
  // @ts-expect-error a repeat without an interval
  { ...common, mode: 'repeat', start_after_seconds: 60, prompt: 'Look.' },
  // @ts-expect-error an interval of what comes once
  { ...once, interval_seconds: 60, prompt: 'Look.' },
  // @ts-expect-error a prompt and keys
  { ...once, prompt: 'Look.', send_keys: { sequence: 'x' } },
  // @ts-expect-error neither a prompt nor keys
  { ...once },
  // @ts-expect-error two moments
  { ...once, prompt: 'Look.', deliver_at_utc: '2099-01-01' },
  // @ts-expect-error no moment
  { ...common, mode: 'one_off', prompt: 'Look.' },
  // @ts-expect-error a field that there is not
  { ...once, prompt: 'Look.', colour: 'blue' },
];

export async function calls() {
  const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });
  const agent = createHoumaoClient({ baseUrl: 'http://127.0.0.1:1' }).agent('alpha');
  await client.createReminders({ body: { reminders: [{ ...once, prompt: 'Look.' }] } });
  const both = { prompt: 'Look.', send_keys: { sequence: 'x' } };
  // @ts-expect-error a prompt and keys
  await client.createReminders({ body: { reminders: [{ ...once, ...both }] } });
  // @ts-expect-error through the server, too
  await agent.gateway.createReminders({ body: { reminders: [{ ...once }] } });
  const path = { reminder_id: 'greminder-1' };
  // @ts-expect-error a repeat without an interval
  await client.updateReminder({ path, body: { ...once, mode: 'repeat', prompt: 'Look.' } });

  await client.controlPrompt({ body: { prompt: 'hi', chat_session: { mode: 'exact', id: 'c-1' } } });
  await client.controlPrompt({ body: { prompt: 'hi', chat_session: { mode: 'new', id: null } } });
  // @ts-expect-error no conversation is named
  await client.controlPrompt({ body: { prompt: 'hi', chat_session: { mode: 'exact' } } });
  // @ts-expect-error one is named that is not meant
  await client.controlPrompt({ body: { prompt: 'hi', chat_session: { mode: 'new', id: 'c-1' } } });
  // @ts-expect-error no conversation is named
  await client.prompt('hi', { chatSession: { mode: 'exact' } });
  // @ts-expect-error no conversation is named
  await agent.createTurn({ body: { prompt: 'hi', chat_session: { mode: 'exact' } } });

  await client.prompt('hi', { execution: { model: { name: 'fast' } } });
  await client.prompt('hi', { execution: { model: { reasoning: { level: 1 } } } });
  // @ts-expect-error neither a name nor a reasoning
  await client.prompt('hi', { execution: { model: {} } });

  const message_refs = ['filesystem:msg-1'];
  await client.markMail({ body: { message_refs, read: true } });
  await client.markMail({ body: { message_refs, archived: false } });
  // @ts-expect-error no mark
  await client.markMail({ body: { message_refs } });
}
