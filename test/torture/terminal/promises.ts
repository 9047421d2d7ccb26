import type { Facts, RequestSeen, SentPrompt, TurnSeen, Violation } from './facts.js';
import { tagsIn } from './prompts.js';

type Taken = ReadonlyMap<string, number>;

/** The sentences of a failure that leave open whether the agent has the prompt. */
const leavesOpen =
  /It is not known|look up turn|between the paste and the sign|The gateway hit an internal error|has just become busy/;

/** Pure: holds what the gateway said against what the agent took. */
export function brokenPromises(facts: Facts, taken: Taken): Violation[] {
  return [
    ...facts.requests.flatMap((request) => ofRequest(request, facts, taken)),
    ...facts.prompts.flatMap((prompt) => ofAnswer(prompt, facts, taken)),
    ...facts.turns.flatMap((turn) => ofTurn(turn, facts, taken)),
    ...ofReminders(facts, taken),
    ...inOrder(facts, taken),
  ];
}

const tagOf = (prompt: string): string => tagsIn(prompt)[0] ?? '';
const turnsOf = ({ turns }: Facts, id: string): TurnSeen[] =>
  turns.filter(({ requestId }) => requestId === id);

function ofRequest(request: RequestSeen, facts: Facts, taken: Taken): Violation[] {
  const { id, state, errorCode, errorDetail, waiting } = request;
  const tag = tagOf(request.prompt);
  if (tag === '') return [];
  const isTaken = taken.has(tag);
  const delivery = turnsOf(facts, id).at(-1)?.delivery ?? null;
  switch (state) {
    case 'completed':
      return isTaken
        ? []
        : [{ kind: 'false sent', what: `request ${id} of ${tag} is completed, and the agent never took it` }];
    case 'failed':
      if (!errorCode || !errorDetail)
        return [{ kind: 'lost', what: `request ${id} of ${tag} failed without a reason` }];
      return isTaken && (delivery === null || delivery === 'failed')
        ? [
            {
              kind: 'taken though failed',
              what: `request ${id} of ${tag} failed (${errorCode}: ${errorDetail}), and the agent took it`,
            },
          ]
        : [];
    case 'accepted':
      if (isTaken)
        return [
          { kind: 'taken though failed', what: `request ${id} of ${tag} waits, and the agent took it` },
        ];
      return waiting ? [] : [{ kind: 'lost', what: `request ${id} of ${tag} waits without a reason` }];
    default:
      return [{ kind: 'lost', what: `request ${id} of ${tag} stayed ${state}` }];
  }
}

function ofAnswer({ tag, door, answer }: SentPrompt, facts: Facts, taken: Taken): Violation[] {
  const isTaken = taken.has(tag);
  if (answer.kind === 'sent')
    return isTaken
      ? []
      : [
          {
            kind: 'false sent',
            what: `${tag} was answered as sent (${answer.turnId}), and the agent never took it`,
          },
        ];
  if (answer.kind === 'accepted' && door === 'request')
    return facts.requests.some(({ id }) => id === answer.id)
      ? []
      : [{ kind: 'lost', what: `request ${answer.id} of ${tag} was accepted and is not stored` }];
  if (answer.kind !== 'refused') return [];
  const { status, code, detail } = answer;
  if (code === '' || detail === '')
    return [{ kind: 'lost', what: `${tag} was refused with ${status} without a reason` }];
  return isTaken && !leavesOpen.test(detail)
    ? [
        {
          kind: 'taken though failed',
          what: `${tag} was refused (${status} ${code}: ${detail}), and the agent took it`,
        },
      ]
    : [];
}

function ofTurn(turn: TurnSeen, facts: Facts, taken: Taken): Violation[] {
  const tag = tagOfTurn(turn, facts);
  const reported = `${turn.origin} turn ${turn.id} of ${tag ?? 'a prompt'}`;
  if (turn.state === 'ended' && (turn.delivery === 'claimed' || turn.delivery === 'handed_over'))
    return [{ kind: 'lost', what: `${reported} ended, and its delivery stayed ${turn.delivery}` }];
  if (tag === null) return [];
  if (turn.delivery === 'confirmed' && !taken.has(tag))
    return [
      {
        kind: 'false sent',
        what: `${reported} is confirmed (${turn.evidence}), and the agent never took it`,
      },
    ];
  return turn.delivery === 'failed' && taken.has(tag)
    ? [
        {
          kind: 'taken though failed',
          what: `delivery of ${reported} failed (${turn.errorDetail}), and the agent took it`,
        },
      ]
    : [];
}

/** Null where no answer named the turn. */
function tagOfTurn({ id, requestId }: TurnSeen, { requests, prompts }: Facts): string | null {
  const request = requests.find((each) => each.id === requestId);
  if (request) return tagOf(request.prompt) || null;
  return prompts.find(({ answer }) => answer.kind === 'sent' && answer.turnId === id)?.tag ?? null;
}

function ofReminders({ prompts, events, reminders, gatewaysKilled }: Facts, taken: Taken): Violation[] {
  return prompts.flatMap(({ tag, door, answer }): Violation[] => {
    if (door !== 'reminder' || answer.kind !== 'accepted') return [];
    const own = events.filter(({ subject }) => subject === answer.id);
    const end = own.find(({ kind }) => kind === 'reminder_completed' || kind === 'reminder_failed');
    const isTaken = taken.has(tag);
    if (end?.kind === 'reminder_completed')
      return isTaken
        ? []
        : [
            {
              kind: 'false sent',
              what: `reminder ${answer.id} of ${tag} is completed, and the agent never took it`,
            },
          ];
    if (end !== undefined) {
      if (!end.detail)
        return [{ kind: 'lost', what: `reminder ${answer.id} of ${tag} failed without a reason` }];
      return isTaken && !leavesOpen.test(end.detail)
        ? [
            {
              kind: 'taken though failed',
              what: `reminder ${answer.id} of ${tag} failed (${end.detail}), and the agent took it`,
            },
          ]
        : [];
    }
    // Reminders are forgotten with their gateway, also one that was just being delivered.
    const isKnown = reminders.includes(answer.id) || gatewaysKilled > 0;
    return isKnown ? [] : [{ kind: 'lost', what: `reminder ${answer.id} of ${tag} is gone without a word` }];
  });
}

/** Requests are taken in the order in which they were accepted. */
function inOrder({ requests }: Facts, taken: Taken): Violation[] {
  let latest = -1;
  return requests.flatMap(({ id, prompt }): Violation[] => {
    const place = taken.get(tagOf(prompt));
    if (place === undefined) return [];
    const isLate = place < latest;
    latest = Math.max(latest, place);
    return isLate
      ? [
          {
            kind: 'out of order',
            what: `request ${id} of ${tagOf(prompt)} was taken before one that was accepted earlier`,
          },
        ]
      : [];
  });
}
