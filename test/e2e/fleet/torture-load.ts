// The prompts of the torture of a fleet: given, given again, and followed to their ends.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FleetHost } from '../../support/fleet/hosts.js';
import type { seededRandom } from '../../torture/random.mjs';
import type { RequestEnd, SeenItem, SentPrompt } from './torture-check.js';

export type Random = ReturnType<typeof seededRandom>;

export const agentAt = ({ name }: FleetHost): string => `alpha@${name}`;
const pathTo = (agent: string): string => `/houmao/agents/${encodeURIComponent(agent)}/gateway/requests`;

export const bodyOf = (prompt: string): object => ({ kind: 'submit_prompt', payload: { prompt } });

/**
 * Gives a prompt until the fleet has it: each repeat has the same key.
 * @param deadline a moment after which it is not to run any more. @returns the id of its command.
 */
export async function give(
  sender: FleetHost,
  agent: string,
  prompt: string,
  deadline: Date | null = null,
): Promise<string> {
  const headers = {
    'Idempotency-Key': prompt,
    ...(deadline !== null && { 'X-Houmao-Deadline': deadline.toISOString() }),
  };
  for (;;) {
    const answer = await Promise.resolve()
      .then(() => sender.ask('POST', pathTo(agent), bodyOf(prompt), headers))
      .catch(() => null);
    if (answer?.status === 202) return answer.body.command.command_id;
    if (answer !== null && answer.status !== 503)
      throw new Error(`${prompt}: ${answer.status} ${JSON.stringify(answer.body)}`);
    await sleep(50);
  }
}

const promptsOfRound = 2;

/** Gives some prompts, one after the other, some of them twice at the same time. */
export async function load(
  random: Random,
  sender: FleetHost,
  others: readonly FleetHost[],
  round: number,
): Promise<SentPrompt[]> {
  const sent: SentPrompt[] = [];
  for (let number = 0; number < promptsOfRound; number += 1) {
    const agent = agentAt(random.pick(others) as FleetHost);
    const prompt = `${round}-${sender.name}-${number}`;
    const times = random.chance(0.3) ? [1, 2] : [1];
    const [commandId = '', again = commandId] = await Promise.all(
      times.map(() => give(sender, agent, prompt)),
    );
    expect(again).toBe(commandId);
    sent.push({ commandId, sender: sender.name, agent, prompt });
    await sleep(random.between(0, 300));
  }
  return sent;
}

/** Waits until a request has ended. */
export async function endOf({ ask }: FleetHost, { commandId, agent }: SentPrompt): Promise<RequestEnd> {
  for (;;) {
    const { status, body } = await ask('GET', `${pathTo(agent)}/${commandId}?wait_seconds=20`);
    if (status === 200 && !['accepted', 'running'].includes(body.state))
      return {
        state: body.state,
        delivery: body.turn?.delivery.state ?? null,
        code: body.error?.code ?? null,
      };
    if (status !== 200) await sleep(200);
  }
}

/** Returns the commands of prompts that their agent has, and of which the fleet does not say so. */
export async function notDelivered(
  { ask }: FleetHost,
  ends: ReadonlyMap<string, RequestEnd>,
): Promise<string[]> {
  const broken: string[] = [];
  for (const [id, { delivery }] of ends) {
    if (delivery !== 'confirmed') continue;
    const { body } = await ask('GET', `/houmao/fleet/commands/${id}?wait_until=delivered&wait_seconds=20`);
    if (body.state !== 'delivered') broken.push(`${id} was confirmed, and is ${body.state ?? body.detail}`);
  }
  return broken;
}

/** A reader of the events of the fleet who goes on from place to place, at one host or another. */
export class Follower {
  readonly items: SeenItem[] = [];
  readonly #random: Random;
  readonly #hosts: readonly FleetHost[];
  #after = '0';

  constructor(random: Random, hosts: readonly FleetHost[]) {
    this.#random = random;
    this.#hosts = hosts;
  }

  /** Reads until it is stopped. */
  async run(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) if ((await this.#read(2)) === 0) await sleep(100);
  }

  /** Reads what is there. */
  async drain(): Promise<void> {
    while ((await this.#read(0)) !== 0);
  }

  /** @returns how many items came; 0 also where the host cannot be asked. */
  async #read(seconds: number): Promise<number> {
    const host = this.#random.pick(this.#hosts) as FleetHost;
    const path = `/houmao/fleet/events?after=${this.#after}&limit=200&wait_seconds=${seconds}`;
    const answer = await Promise.resolve()
      .then(() => host.ask('GET', path))
      .catch(() => null);
    if (answer?.status !== 200) return 0;
    for (const { id, host: of, tracked_agent_id, event, gap } of answer.body.events)
      this.items.push({
        id,
        host: of,
        agent: tracked_agent_id,
        seq: event?.seq ?? null,
        isGap: gap !== null,
      });
    this.#after = answer.body.next_after;
    return answer.body.events.length;
  }
}

/** Returns the number of the last event of each agent of a host, as the host itself has it, by `<agent>@<host>`. */
export async function lastOwn({ ask, name }: FleetHost): Promise<Map<string, number>> {
  const last = new Map<string, number>();
  for (let after = '0'; ; ) {
    const { body } = await ask('GET', `/houmao/events?after=${after}&limit=200`);
    for (const { tracked_agent_id, event } of body.events)
      if (event !== null) last.set(`${tracked_agent_id}@${name}`, event.seq);
    if (body.next_after === after || body.events.length === 0) return last;
    after = body.next_after;
  }
}
