"""Calls a managed-agent server with the generated client: `managed-agent.py <base url>`. One line for each check."""

import sys

import houmao_managed_agent as houmao

api = houmao.ApiClient(houmao.Configuration(host=sys.argv[1]))
agents, turns = houmao.AgentsApi(api), houmao.TurnsApi(api)
failed = False


def check(name, call):
    global failed
    try:
        result = call()
        print(f"ok {name}")
        return result
    except Exception as error:
        failed = True
        print(f"failed {name}: {type(error).__name__} {error}".replace("\n", " "))


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def refused(status, model, call):
    try:
        call()
    except houmao.ApiException as error:
        expect(error.status == status, error)
        expect(isinstance(error.data, model), f"the body is no {model.__name__}: {error.data!r}")
        return error.data
    raise AssertionError("it was not refused")


def listed():
    found = agents.list_agents().agents
    expect(len(found) == 1 and found[0].transport == houmao.AgentTransport.HEADLESS, found)
    return found[0].tracked_agent_id


def distinguished():
    detail = agents.get_agent_detail(agent).detail.actual_instance
    expect(isinstance(detail, houmao.HeadlessAgentDetail), detail)


def run():
    create = houmao.AgentTurnCreate(prompt="Hello from Python")
    turn_id = turns.create_turn(agent, create, idempotency_key="python-1").turn_id
    expect(turns.create_turn(agent, create, idempotency_key="python-1").turn_id == turn_id, "a second turn")
    record = turns.get_turn_record(agent, turn_id, wait_seconds=30)
    expect("Hello from Python" in record.answer.text, record)
    return turn_id


def written():
    text = turns.get_turn_stdout(agent, turn_id)
    expect("Hello from Python" in text, text)


def unknown():
    body = refused(404, houmao.ErrorText, lambda: agents.get_agent("nobody"))
    expect("nobody" in body.detail, body.detail)


agent = check("the agents are listed", listed)
check("its detail is distinguished by transport", distinguished)
turn_id = check("a turn runs once, and its record has the answer", run)
check("what the agent wrote is read as text", written)
check("an unknown agent is a typed 404", unknown)
sys.exit(failed)
