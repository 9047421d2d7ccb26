import contract from '#fake-gateway-contract';
import type { operations } from '../generated/gateway/types/client.js';
import { exampleOf } from './fake-answer.js';
import { createFakeSurface, type FakeSurface } from './fake-surface.js';
import { type FakeAgent, type FakeRequestRecord, FakeWork } from './fake-work/fake-work.js';
import { queueSimulations } from './fake-work/queue-simulations.js';

/** A gateway in memory, for unit tests. Pass it to `createGatewayClient` directly. */
export interface FakeGateway extends FakeSurface<operations> {
  /**
   * Sets the agent's answer to prompts from now on: for `prompt`, `submit` and `control`, and in every record. Without it, the
   * answer is the contract's example.
   */
  answerPrompts(answer: FakeAgent): void;
}

/**
 * Makes a gateway in memory. It checks each request against the contract as a gateway does (422 with `items`), and answers with
 * the contract's examples, except where the test sets another answer, which is checked, too. A prompt has its turn at once.
 * There is no network and nothing to close.
 *
 * @example
 * ```ts
 * const fake = createFakeGateway();
 * fake.answerPrompts((prompt) => `You said: ${prompt}`);
 * const client = createGatewayClient(fake);
 * console.log(await client.prompt('Hello')); // You said: Hello
 * ```
 */
export function createFakeGateway(): FakeGateway {
  let agent: FakeAgent | null = null;
  const work = new FakeWork(exampleOf(contract.getRequest!).body as FakeRequestRecord, () => agent);
  const simulations = queueSimulations({ contract, idOf: (name) => name, workOf: () => work });
  return {
    ...createFakeSurface<operations>(contract, simulations),
    answerPrompts: (answer) => {
      agent = answer;
    },
  };
}
