"""Calls a gateway with the generated models: `gateway.py <base url>`. One line for each check."""

import httpx
import models
from check import address, check, expect

client = httpx.Client(base_url=address, timeout=60)


def submit():
    prompt = {"kind": "submit_prompt", "payload": {"prompt": "Hello from pydantic"}}
    body = models.RequestCreate.model_validate(prompt).model_dump_json(exclude_unset=True)
    headers = {"Content-Type": "application/json", "Idempotency-Key": "pydantic-1"}
    answer = client.post("/v1/requests", content=body, headers=headers)
    expect(answer.status_code == 202, answer.text)
    return models.RequestAccepted.model_validate_json(answer.text).request_id


def completed():
    answer = client.get(f"/v1/requests/{request_id}", params={"wait_seconds": 30})
    record = models.RequestRecord.model_validate_json(answer.text)
    expect(record.state == models.RequestState.completed, record.state)
    expect("Hello from pydantic" in record.turn.answer.text, record.turn.answer)


def unknown():
    answer = client.get("/v1/requests/gwreq-unknown")
    body = models.ErrorText.model_validate_json(answer.text)
    expect(answer.status_code == 404 and "gwreq-unknown" in body.detail, body)


def broken():
    answer = client.get("/v1/requests", params={"cursor": "nonsense"})
    body = models.ErrorItems.model_validate_json(answer.text)
    expect(answer.status_code == 422 and body.detail[0].loc == ["query", "cursor"], body)


request_id = check("a prompt is accepted", submit)
check("its record is completed and has the answer", completed)
check("an unknown request is a typed 404", unknown)
check("a broken rule is a typed 422", broken)
