import { expect, test } from 'vitest';
import type { AskOperation, OperationAnswer } from '../../../../src/contract/page-facts.js';
import { serverPageFacts } from '../../../../src/server/handlers/page-facts.js';

interface Here {
  readonly transport: 'tui' | 'headless';
  readonly isReached: boolean;
  readonly hasGateway: boolean;
}

/** A server over these agents, by their names; what else is asked there is not known. */
const serverOver = (agents: Readonly<Record<string, Here>>): AskOperation => {
  const answers: Readonly<Record<string, (agent: Here | undefined) => OperationAnswer>> = {
    listAgents: () => ({
      status: 200,
      body: {
        agents: Object.entries(agents).map(([name, { transport }]) => ({
          agent_name: `HOUMAO-${name}`,
          tracked_agent_id: `id-${name}`,
          transport,
          terminal_id: transport === 'tui' ? `terminal-${name}` : null,
        })),
      },
    }),
    getGatewayQueue: (agent) => ({ status: agent?.hasGateway ? 200 : 502, body: {} }),
    getAgentState: (agent) => ({
      status: 200,
      body: { availability: agent?.isReached ? 'available' : 'unavailable' },
    }),
  };
  return async (operation, { path = {} } = {}) =>
    answers[operation]?.(agents[String(path.agent_ref)]) ?? { status: 404, body: null };
};
const filledIn = async (agents: Readonly<Record<string, Here>>) =>
  (await serverPageFacts.values(serverOver(agents))).shared;

test('an agent that can be reached is filled in before one that cannot, whatever that one could do', async () => {
  expect(
    await filledIn({
      gone: { transport: 'headless', isReached: false, hasGateway: true },
      here: { transport: 'tui', isReached: true, hasGateway: false },
    }),
  ).toMatchObject({ agent_ref: 'here' });
});

test('of those that can be reached it is a headless one with a gateway, and the terminal is one that can be reached', async () => {
  expect(
    await filledIn({
      gone: { transport: 'tui', isReached: false, hasGateway: true },
      bare: { transport: 'headless', isReached: true, hasGateway: false },
      screen: { transport: 'tui', isReached: true, hasGateway: true },
      best: { transport: 'headless', isReached: true, hasGateway: true },
    }),
  ).toMatchObject({ agent_ref: 'best', terminal_id: 'terminal-screen' });
});
