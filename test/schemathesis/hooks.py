"""What Schemathesis cannot read in the contract."""

import datetime
import itertools
import json
import os
import re
import zlib

import jsonschema_rs
import schemathesis
from hypothesis import strategies
from schemathesis.core import NOT_SET
from schemathesis.specs.openapi.checks import positive_data_acceptance, use_after_free

LONGEST_WAIT_SECONDS = 0.25

# Formats of the contract's own (src/http/contract/formats.ts). The third one, `process-text`, is any text without NUL: the
# configuration leaves NUL out, as a format that nearly every text fits cannot be negated by guessing.
schemathesis.openapi.format(
    "iso-instant",
    strategies.datetimes(min_value=datetime.datetime(1000, 1, 1)).map(lambda moment: moment.isoformat() + "+00:00"),
)
schemathesis.openapi.format(
    "prompt-metadata",
    strategies.dictionaries(
        strategies.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True),
        strategies.text(strategies.characters(exclude_categories=["Cs"]), max_size=20),
        max_size=16,
    ).map(json.dumps),
)


@schemathesis.hook
def before_call(context, case, kwargs):
    """A wait of a minute is as good as a short one: nothing new happens in it. Waits that are refused stay as they are."""
    call_the_agent(case)
    add_reminders_anew(case)
    wait = as_number(case.query.get("wait_seconds")) if case.query else None
    if wait is not None and LONGEST_WAIT_SECONDS < wait <= 60:
        case.query["wait_seconds"] = LONGEST_WAIT_SECONDS


def call_the_agent(case):
    """Names that are made up are nobody's. Most of them become the name of the agent that is there."""
    agent = os.environ.get("HOUMAO_AGENT_REF")
    made_up = (case.path_parameters or {}).get("agent_ref")
    if agent and isinstance(made_up, str) and zlib.crc32(made_up.encode("utf-8", "replace")) % 4 != 0:
        case.path_parameters["agent_ref"] = agent


key_numbers = itertools.count()


def add_reminders_anew(case):
    """A repeated key is answered with reminders that may be gone, and what follows a link looks for them."""
    key = (case.headers or {}).get("Idempotency-Key")
    valid = isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key)
    if valid and case.method == "POST" and case.operation.path.endswith("/reminders"):
        case.headers["Idempotency-Key"] = f"{key[:200]}-{next(key_numbers)}"


def as_number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


@schemathesis.check
def accepted_or_refused_in_words(context, response, case):
    """`positive_data_acceptance`, save for refusals of what the agent or the state of things does not allow.

    A valid request may be refused with 422 in a sentence (`{"detail": "…"}`) or with an `error_code`: raw keys for an
    agent without a terminal, mail without a mailbox, a key used with another body. A list of items always says that a
    field breaks a rule of the contract, and then the contract has to tell of that rule. 410 is the answer to an event
    number that the record does not hold, 416 to a range that a file does not have, and 412 to a condition that does not hold:
    which they have, no schema can tell.
    """
    if response.status_code == 410 and case.operation.path.endswith("/events"):
        return None
    if response.status_code in (412, 416):
        return None
    if response.status_code == 422 and is_refusal(json.loads(response.content)["detail"]):
        return None
    # They name field and rule for what no schema tells: the kinds of events, addresses, and that a target stays what it is.
    if response.status_code == 422 and case.operation.path.startswith("/houmao/notifications"):
        return None
    if response.status_code == 422 and is_about_time(json.loads(response.content)["detail"]):
        return None
    if case.meta.generation.mode.is_positive and not has_valid_body(case):
        return None
    return positive_data_acceptance(context, response, case)


@schemathesis.check
def gone_once_deleted(context, response, case):
    """`use_after_free`, save for a reminder that is being delivered: it is listed as executing until that has ended."""
    if case.operation.method.lower() != "get" or not case.operation.path.endswith("/reminders/{reminder_id}"):
        return None
    if response.status_code == 200 and json.loads(response.content)["delivery_state"] == "executing":
        return None
    return use_after_free(context, response, case)


def is_refusal(detail):
    return isinstance(detail, (str, dict)) or is_foreign_cursor(detail)


def is_foreign_cursor(items):
    """A cursor means something only to the gateway that gave it, and no schema can tell which it gave."""
    return [(item["loc"], item["type"]) for item in items] == [(["query", "cursor"], "value_error")]


def is_about_time(items):
    """Which days there are figures of, and whether a deadline has passed, depends on the day."""
    return all(item["loc"] in (["query", "from"], ["header", "x-houmao-deadline"]) for item in items)


def has_valid_body(case):
    """The coverage phase calls bodies valid that break an `if` below `dependentSchemas`: it changes one field alone."""
    document = case.operation.schema.raw_schema
    operation = document["paths"][case.operation.path][case.operation.method]
    if "requestBody" not in operation or case.body is NOT_SET:
        return True
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return jsonschema_rs.is_valid({**schema, "components": document["components"]}, case.body)
