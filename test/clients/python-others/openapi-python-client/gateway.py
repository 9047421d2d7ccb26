"""Calls a gateway with the generated client: `gateway.py <base url>`. One line for each check."""

from check import address, check, expect
from houmao_agent_gateway_client import Client
from houmao_agent_gateway_client.api.requests import get_request, list_requests, submit_request
from houmao_agent_gateway_client.models import ErrorItems, ErrorText, SubmitPromptPayload, SubmitPromptRequest

client = Client(base_url=address)


def submit():
    prompt = SubmitPromptRequest(kind="submit_prompt", payload=SubmitPromptPayload(prompt="Hello from attrs"))
    return submit_request.sync(client=client, body=prompt, idempotency_key="attrs-1").request_id


def completed():
    record = get_request.sync(request_id, client=client, wait_seconds=30)
    expect(record.state == "completed", record.state)
    expect("Hello from attrs" in record.turn.answer.text, record.turn.answer)


def unknown():
    answer = get_request.sync_detailed("gwreq-unknown", client=client)
    expect(answer.status_code == 404 and isinstance(answer.parsed, ErrorText), answer)
    expect("gwreq-unknown" in answer.parsed.detail, answer)


def broken():
    answer = list_requests.sync_detailed(client=client, cursor="nonsense")
    expect(answer.status_code == 422 and isinstance(answer.parsed, ErrorItems), answer)
    expect(answer.parsed.detail[0].loc == ["query", "cursor"], answer)


request_id = check("a prompt is accepted", submit)
check("its record is completed and has the answer", completed)
check("an unknown request is a typed 404", unknown)
check("a broken rule is a typed 422", broken)
