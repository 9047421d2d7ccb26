import type { HoumaoClient } from '@houmao/sdk/managed-agent';
import { z } from 'zod';
import { hasEnded, namedWork, seeWork, submitPrompt, type WorkName } from '../agent-work.js';
import { agent, key, most, seconds, type Tool, tool } from './tool.js';
import { eventLine } from './tool-words.js';
import { lookAtWork, type ToolCall, waitForWork, workText } from './wait-for-work.js';

/** The names of work: exactly one of the ids. */
const work = {
  agent,
  request_id: z.string().min(1).optional().describe('The request, if prompt returned one.'),
  turn_id: z.string().min(1).optional().describe('The turn, if there is no request_id.'),
};
const isOne = ({ request_id, turn_id }: WorkName): boolean =>
  (request_id === undefined) !== (turn_id === undefined);
const oneId = { error: 'Give either request_id or turn_id.' };

/** The tools that give agents work and follow it. */
export const workTools: readonly Tool[] = [
  tool({
    name: 'prompt',
    title: 'Prompt an agent',
    description:
      'Gives an agent a task and waits for its answer. An agent with a gateway that works on something else takes it from its queue later. When the time is over, the result says how to go on. "accepted" means stored, not yet delivered.',
    input: z.strictObject({
      agent,
      text: z.string().min(1).describe('The prompt.'),
      wait_seconds: seconds(45),
      idempotency_key: key,
      max_characters: most,
    }),
    reads: false,
    submit: submitPrompt,
    run: async (input, call) => {
      const { wait_seconds, max_characters } = input;
      return waitForWork(
        await submitPrompt(input, call),
        { seconds: wait_seconds, most: max_characters },
        call,
      );
    },
  }),
  tool({
    name: 'wait',
    title: 'Wait for an answer',
    description:
      'Waits for the end of earlier work and returns its answer, or its state when the time is over. Work that has ended is answered at once.',
    input: z.strictObject({ ...work, wait_seconds: seconds(45), max_characters: most }).refine(isOne, oneId),
    reads: true,
    run: (input, call) =>
      waitForWork(
        namedWork(call.client, input),
        { seconds: input.wait_seconds, most: input.max_characters },
        call,
      ),
  }),
  tool({
    name: 'read_turn',
    title: 'Read a turn',
    description:
      'Reads work as it is now: state, delivery with its evidence, how it ended, usage and the answer. Waits for nothing.',
    input: z.strictObject({ ...work, max_characters: most }).refine(isOne, oneId),
    reads: true,
    run: (input, call) => lookAtWork(namedWork(call.client, input), input.max_characters, call),
  }),
  tool({
    name: 'follow',
    title: 'Follow what happens',
    description:
      'Returns what happened to the agents behind a place, waiting for the next event when there is none. Begins with what happens from now on; pass the place of the last result as `after` to miss nothing. `after: "0"` begins with the oldest event.',
    input: z.strictObject({
      agent: agent.optional().describe('Only events of this agent. Default: of all agents.'),
      after: z.string().min(1).default('latest').describe('The place of the last result.'),
      wait_seconds: seconds(30),
      limit: z.number().int().min(1).max(200).default(20).describe('The most events. Default: 20.'),
    }),
    reads: true,
    run: followEvents,
  }),
  tool({
    name: 'interrupt',
    title: 'Interrupt a turn',
    description:
      'Stops one piece of work of an agent and no other: interrupts its turn while it runs, takes its prompt back while that waits in the queue. Without an id it is the turn that runs now.',
    input: z.strictObject(work).refine((given) => given.turn_id === undefined || isOne(given), oneId),
    reads: false,
    run: interruptTurn,
  }),
];

async function followEvents(
  input: { agent?: string | undefined; after: string; wait_seconds: number; limit: number },
  { client, signal }: ToolCall,
): Promise<string> {
  const until = performance.now() + input.wait_seconds * 1000;
  let { after } = input;
  const id = input.agent === undefined ? null : await idOf(client, input.agent, signal);
  for (let isRead = false; ; ) {
    const left = isRead ? Math.max(0, (until - performance.now()) / 1000) : 0;
    const query = { after, limit: input.limit, wait_seconds: Math.min(left, longestWaitSeconds) };
    const page = await client.listHostEvents({ query, signal });
    after = page.next_after;
    // A page that is full may have others behind it, which happened before now.
    isRead = page.events.length < input.limit;
    const events = page.events.filter(({ tracked_agent_id }) => id === null || tracked_agent_id === id);
    if (events.length > 0) return [...events.map(eventLine), `after: ${after}`].join('\n');
    if (isRead && performance.now() >= until) return `Nothing happened.\nafter: ${after}`;
  }
}

/** The longest wait that an operation takes. */
const longestWaitSeconds = 60;

const idOf = async (client: HoumaoClient, ref: string, signal: AbortSignal): Promise<string> =>
  (await client.agent(ref).getAgent({ signal })).tracked_agent_id;

async function interruptTurn(input: WorkName, call: ToolCall): Promise<string> {
  const { client, signal } = call;
  const isNamed = input.request_id !== undefined || input.turn_id !== undefined;
  const running = isNamed ? null : await runningTurn(client, input.agent, signal);
  if (!isNamed && running === null) return 'No turn runs, so nothing was interrupted.';
  const named = namedWork(client, running === null ? input : { agent: input.agent, turn_id: running });
  const before = await seeWork(named, call);
  if (hasEnded(before))
    return `It had ended; nothing was interrupted.\n${workText(named, before, endCharacters)}`;
  await named.handle.interrupt({ signal });
  // A signal that was sent has not ended the turn yet.
  return waitForWork(named, { seconds: settleSeconds, most: endCharacters, ending: true }, call);
}

/** The time that an interrupted turn gets to end, so that the result says how it ended. */
const settleSeconds = 10;
/** The most characters of an answer beside an interrupt. */
const endCharacters = 500;

async function runningTurn(client: HoumaoClient, ref: string, signal: AbortSignal): Promise<string | null> {
  const id = await idOf(client, ref, signal);
  const { agents } = await client.getHostOverview({ signal });
  return agents.find(({ tracked_agent_id }) => tracked_agent_id === id)?.running?.turn_id ?? null;
}
