import { isErrorFromAlias } from '@zodios/core';
import { address, check, expect, refusal } from './check';
import { api, createApiClient } from './client';

const server = createApiClient(address);

const agent = await check('the agents are listed', async () => {
  const list = await server.listAgents();
  expect(list.agents.length === 1 && list.agents[0]?.transport === 'headless', list);
  return list.agents[0].tracked_agent_id;
});
await check('its detail is distinguished by transport', async () => {
  const { detail } = await server.getAgentDetail({ params: { agent_ref: agent ?? '' } });
  expect(detail.transport === 'headless' && detail.tmux_session_live !== undefined, detail);
});
await check('an unknown agent is a typed 404', async () => {
  const error = await refusal(() => server.getAgent({ params: { agent_ref: 'nobody' } }));
  expect(isErrorFromAlias(api.api, 'getAgent', error) && error.response.status === 404, String(error));
  expect(String(error.response.data.detail).includes('nobody'), error.response.data);
});
