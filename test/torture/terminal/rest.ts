import { setTimeout as after } from 'node:timers/promises';
import type { Sending } from './doors.js';
import type { Person } from './person.js';
import type { TorturedAgent } from './tortured-agent.js';

/** When nothing has changed for so long, somebody tidies up the terminal. */
const tidyMilliseconds = 2500;
/** When nothing has changed for so long and nothing runs, what waits is left waiting. */
const quietMilliseconds = 6500;
const longestMilliseconds = 60_000;
const lookMilliseconds = 150;
const readyMilliseconds = 5000;

/** Waits until the gateway says that a prompt may go in. @returns false when it has not said so for a while, or cannot. */
export async function untilReady(agent: TorturedAgent): Promise<boolean> {
  const deadline = Date.now() + readyMilliseconds;
  while (Date.now() < deadline) {
    const status = await agent.ask('GET', '/v1/status');
    const { terminal_surface_eligibility: surface, managed_agent_connectivity: agentIs } = status?.body ?? {};
    if (surface === 'ready') return true;
    if (agentIs !== undefined && agentIs !== 'connected') return false;
    await after(lookMilliseconds);
  }
  return false;
}

/** Resolves when everything that was sent has come to an end, or nothing moves any more. */
export async function untilRest(
  agent: TorturedAgent,
  person: Person,
  sendings: readonly Sending[],
  ledgerRows: () => number,
): Promise<void> {
  const deadline = Date.now() + longestMilliseconds;
  const open = new Set(sendings.flatMap(({ answer }) => (answer.kind === 'accepted' ? [answer.id] : [])));
  let before = '';
  let since = Date.now();
  let tidiedAt = 0;
  while (Date.now() < deadline) {
    const { isBusy, words } = await look(agent, open);
    if (open.size === 0 && !isBusy) return;
    const now = `${words} ${ledgerRows()}`;
    if (now !== before) since = Date.now();
    before = now;
    const quiet = Date.now() - since;
    if (quiet >= quietMilliseconds && !isBusy) return;
    if (quiet >= tidyMilliseconds && Date.now() - tidiedAt >= tidyMilliseconds) {
      tidiedAt = Date.now();
      await person.tidy();
    }
    await after(lookMilliseconds);
  }
}

/** Takes what has ended out of `open`. */
async function look(agent: TorturedAgent, open: Set<string>): Promise<{ isBusy: boolean; words: string }> {
  const status = await agent.ask('GET', '/v1/status');
  const listed = await agent.ask('GET', '/v1/reminders');
  const reminders: { reminder_id: string }[] = listed?.body.reminders ?? [];
  const states: string[] = [];
  for (const id of open) {
    if (id.startsWith('greminder-')) {
      if (!reminders.some(({ reminder_id }) => reminder_id === id)) open.delete(id);
      continue;
    }
    const record = await agent.ask('GET', `/v1/requests/${id}`);
    const state: string = record?.body.state ?? 'unknown';
    if (state !== 'accepted' && state !== 'running') open.delete(id);
    states.push(`${id} ${state}`);
  }
  return {
    isBusy: status?.body.active_execution === 'running',
    words: `${states.join()} ${[...open].join()}`,
  };
}
