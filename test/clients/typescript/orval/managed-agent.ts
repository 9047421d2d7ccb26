import { address, check, expect } from './check';
import { getAgent, getAgentDetail, listAgents } from './client/client';
import { getAgentDetailResponse, listAgentsResponse } from './client/zod';

const ownFetch = fetch;
globalThis.fetch = (path, options) => ownFetch(`${address}${String(path)}`, options);

const agent = await check('the agents are listed', async () => {
  const list = listAgentsResponse.parse((await listAgents()).data);
  expect(list.agents.length === 1 && list.agents[0]?.transport === 'headless', list);
  return list.agents[0].tracked_agent_id;
});
await check('its detail is distinguished by transport', async () => {
  const { detail } = getAgentDetailResponse.parse((await getAgentDetail(agent ?? '')).data);
  expect(detail.transport === 'headless' && detail.tmux_session_live !== undefined, detail);
});
await check('an unknown agent is a typed 404', async () => {
  const answer = await getAgent('nobody');
  expect(answer.status === 404 && answer.data.detail.includes('nobody'), answer);
});
