import { address, check, expect, refusal } from './check';
import { AgentsApi, Configuration, ErrorTextFromJSON, ResponseError } from './client';

const agents = new AgentsApi(new Configuration({ basePath: address }));

const agent = await check('the agents are listed', async () => {
  const list = await agents.listAgents();
  expect(list.agents.length === 1 && list.agents[0]?.transport === 'headless', list);
  return list.agents[0].trackedAgentId;
});
await check('its detail is distinguished by transport', async () => {
  const { detail } = await agents.getAgentDetail({ agentRef: agent ?? '' });
  expect(detail.transport === 'headless' && detail.tmuxSessionLive !== undefined, detail);
});
await check('an unknown agent is a typed 404', async () => {
  const error = await refusal(() => agents.getAgent({ agentRef: 'nobody' }));
  expect(error instanceof ResponseError && error.response.status === 404, String(error));
  const body = ErrorTextFromJSON(await error.response.json());
  expect(body.detail.includes('nobody'), body);
});
