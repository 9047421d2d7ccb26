import { address, check, expect } from './check';
import { createClient } from './client/client';
import { getAgent, getAgentDetail, listAgents } from './client/sdk.gen';
import { zAgentDetail, zAgentList, zErrorText } from './client/zod.gen';

const client = createClient({ baseUrl: address });

const agent = await check('the agents are listed', async () => {
  const list = zAgentList.parse((await listAgents({ client })).data);
  expect(list.agents.length === 1 && list.agents[0]?.transport === 'headless', list);
  return list.agents[0].tracked_agent_id;
});
await check('its detail is distinguished by transport', async () => {
  const { data } = await getAgentDetail({ client, path: { agent_ref: agent ?? '' } });
  const { detail } = zAgentDetail.parse(data);
  expect(detail.transport === 'headless' && detail.tmux_session_live !== undefined, detail);
});
await check('an unknown agent is a typed 404', async () => {
  const { error, response } = await getAgent({ client, path: { agent_ref: 'nobody' } });
  expect(response?.status === 404 && zErrorText.parse(error).detail.includes('nobody'), error);
});
