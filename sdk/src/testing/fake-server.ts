import contract from '#fake-server-contract';
import type { operations } from '../generated/managed-agent/types/client.js';
import { gatewayOperations } from '../managed-agent/gateway-operations.js';
import { exampleOf } from './fake-answer.js';
import { createFakeSurface, type FakeCall, type FakeSurface } from './fake-surface.js';
import { type FakeRequestRecord, FakeWork } from './fake-work/fake-work.js';
import { queueSimulations } from './fake-work/queue-simulations.js';
import { turnSimulations } from './fake-work/turn-simulations.js';

/**
 * The answer of the agents of a fake server to a prompt: one text for all, or a function that gets the name of the prompted
 * agent.
 */
export type FakeAgents = string | ((prompt: string, agentRef: string) => string | Promise<string>);

/** A managed-agent server in memory, for unit tests. Pass it to `createHoumaoClient` directly. */
export interface FakeServer extends FakeSurface<operations> {
  /**
   * Sets the agents' answer to prompts from now on: for `prompt` and `submit` of an agent, its turns and its gateway, and in
   * every record. Without it, the answer is the contract's example.
   */
  answerPrompts(answer: FakeAgents): void;
}

/**
 * Makes a managed-agent server in memory. It checks each request against the contract as a server does (422 with `items`), and
 * answers with the contract's examples, except where the test sets another answer, which is checked, too. Every name is that of
 * an agent, which has its own turns, and a gateway with its own queue. A prompt has its turn at once. There is no network and
 * nothing to close.
 *
 * @example
 * ```ts
 * const fake = createFakeServer();
 * fake.answerPrompts((prompt, agentRef) => `${agentRef} was asked: ${prompt}`);
 * const client = createHoumaoClient(fake);
 * console.log(await client.agent('alpha').prompt('Hello')); // alpha was asked: Hello
 * ```
 */
export function createFakeServer(): FakeServer {
  let agents: FakeAgents | null = null;
  const works = new Map<string, FakeWork>();
  const atServer = new Map<string, string>(gatewayOperations());
  const example = exampleOf(contract.getGatewayRequest!).body as FakeRequestRecord;
  const agentOf = (ref: string) => {
    const given = agents;
    return typeof given === 'function' ? (prompt: string) => given(prompt, ref) : given;
  };
  const workOf = ({ parameters: { path } }: FakeCall) => {
    const ref = String(path.agent_ref);
    const work = works.get(ref) ?? new FakeWork(example, () => agentOf(ref));
    works.set(ref, work);
    return work;
  };
  return {
    ...createFakeSurface<operations>(contract, {
      ...queueSimulations({ contract, idOf: (name) => atServer.get(name)!, workOf }),
      ...turnSimulations(contract, workOf),
    }),
    answerPrompts: (answer) => {
      agents = answer;
    },
  };
}
