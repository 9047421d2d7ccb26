"""Calls a managed-agent server with the generated models: `managed-agent.py <base url>`. One line for each check."""

import httpx
import models
from check import address, check, expect

client = httpx.Client(base_url=address, timeout=60)


def listed():
    agents = models.AgentList.model_validate_json(client.get("/houmao/agents").text).agents
    expect([agent.transport for agent in agents] == [models.AgentTransport.headless], agents)
    return agents[0].tracked_agent_id


def detailed():
    answer = client.get(f"/houmao/agents/{agent}/state/detail")
    detail = models.AgentDetail.model_validate_json(answer.text).detail
    expect(isinstance(detail.root, models.HeadlessAgentDetail), detail)


def unknown():
    answer = client.get("/houmao/agents/nobody")
    body = models.ErrorText.model_validate_json(answer.text)
    expect(answer.status_code == 404 and "nobody" in body.detail, body)


agent = check("the agents are listed", listed)
check("its detail is distinguished by transport", detailed)
check("an unknown agent is a typed 404", unknown)
