"""Calls a managed-agent server with the generated client: `managed-agent.py <base url>`. One line for each check."""

from check import address, check, expect
from houmao_managed_agent_server_client import Client
from houmao_managed_agent_server_client.api.agents import get_agent, get_agent_detail, list_agents
from houmao_managed_agent_server_client.models import ErrorText, HeadlessAgentDetail

client = Client(base_url=address)


def listed():
    agents = list_agents.sync(client=client).agents
    expect([agent.transport for agent in agents] == ["headless"], agents)
    return agents[0].tracked_agent_id


def detailed():
    detail = get_agent_detail.sync(agent, client=client).detail
    expect(isinstance(detail, HeadlessAgentDetail), detail)


def unknown():
    answer = get_agent.sync_detailed("nobody", client=client)
    expect(answer.status_code == 404 and isinstance(answer.parsed, ErrorText), answer)
    expect("nobody" in answer.parsed.detail, answer)


agent = check("the agents are listed", listed)
check("its detail is distinguished by transport", detailed)
check("an unknown agent is a typed 404", unknown)
