"""Calls a gateway with the generated client: `gateway.py <base url>`. One line for each check."""

import json
import sys

import houmao_gateway as gateway

api = gateway.ApiClient(gateway.Configuration(host=sys.argv[1]))
requests, reminders, events = gateway.RequestsApi(api), gateway.RemindersApi(api), gateway.EventsApi(api)
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
    except gateway.ApiException as error:
        expect(error.status == status, error)
        expect(isinstance(error.data, model), f"the body is no {model.__name__}: {error.data!r}")
        return error.data
    raise AssertionError("it was not refused")


def submit():
    payload = gateway.SubmitPromptPayload(prompt="Hello from Python")
    prompt = gateway.SubmitPromptRequest(kind="submit_prompt", payload=payload)
    return requests.submit_request(gateway.RequestCreate(prompt), idempotency_key="python-1").request_id


def completed():
    record = requests.get_request(request_id, wait_seconds=30)
    expect(record.state == gateway.RequestState.COMPLETED, record.state)
    expect("Hello from Python" in record.turn.answer.text, record.turn.answer)


def ended():
    page = events.list_events(after=0, limit=200)
    ends = [event.actual_instance for event in page.events if isinstance(event.actual_instance, gateway.CompletedEvent)]
    expect(request_id in [end.data.request_id for end in ends], page)


def passed_over():
    # The page as it came, and each event by itself: a page read whole fails with one event that is not known.
    page = json.loads(events.list_events_without_preload_content(after=0, limit=200).data)
    page["events"].append({**page["events"][0], "kind": "of_a_newer_gateway"})
    known, others = [], 0
    for event in page["events"]:
        try:
            known.append(gateway.GatewayEvent.from_dict(event).actual_instance)
        except ValueError:
            others += 1
    expect(others == 1 and any(isinstance(event, gateway.CompletedEvent) for event in known), page)


def unknown():
    body = refused(404, gateway.ErrorText, lambda: requests.get_request("gwreq-unknown"))
    expect("gwreq-unknown" in body.detail, body.detail)


def broken():
    body = refused(422, gateway.ErrorItems, lambda: requests.list_requests(cursor="nonsense"))
    expect([part.actual_instance for part in body.detail[0].loc] == ["query", "cursor"], body.detail)


def create():
    definition = gateway.ReminderDefinition(
        mode="one_off", title="Stand-up", prompt="What did you do?", ranking=0, start_after_seconds=3600
    )
    created = reminders.create_reminders(gateway.ReminderCreateBatch(reminders=[definition]))
    expect(created.reminders[0].title == "Stand-up", created)
    return created.reminders[0].reminder_id


def delete():
    expect(reminders.delete_reminder(reminder_id).deleted, "it says that it is not deleted")
    refused(404, gateway.ErrorText, lambda: reminders.get_reminder(reminder_id))


request_id = check("a prompt is accepted", submit)
check("its record is completed and has the answer", completed)
check("its end is among the events, distinguished by kind", ended)
check("an event of a kind that it does not know is passed over", passed_over)
check("an unknown request is a typed 404", unknown)
check("a broken rule is a typed 422", broken)
reminder_id = check("a reminder is created", create)
check("the reminder is deleted", delete)
sys.exit(failed)
