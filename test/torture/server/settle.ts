import type { Answer } from '../../support/http.js';
import { sleep } from './agents.js';
import type { End, Load, Submission } from './load.js';

// After the kills: how everything ended that was taken. Nobody is killed meanwhile.

/** An accepted prompt ends in this time. */
const endMilliseconds = 90_000;
const never: End = { outcome: 'none', delivery: null, error: null, answer: null };

/** Fills in how each submission ended. @returns the violations, in words. */
export async function settle(load: Load, url: string): Promise<string[]> {
  await load.settle(url);
  const open = load.submissions.filter(({ reported, end }) => end === null && reported !== 'refused');
  const ended = await Promise.all(open.map((submission) => endOf(load, url, submission)));
  return ended.flat();
}

/** Asks again for a turn that has ended. @returns the violations. */
export async function readAgain(load: Load, url: string, submission: Submission): Promise<string[]> {
  const { agent, turnId, end, tag } = submission;
  if (turnId === null || end === null || end.outcome === 'none') return [];
  const answer = await load.ask(url, agent, 'GET', `/turns/${turnId}/record`);
  const now = answer?.status === 200 ? endIn(answer) : null;
  return JSON.stringify(now) === JSON.stringify(end)
    ? []
    : [
        `${tag}: the record of ${turnId} was ${JSON.stringify(end)} and is ${answer?.status} ${JSON.stringify(now)}`,
      ];
}

async function endOf(load: Load, url: string, submission: Submission): Promise<string[]> {
  const { agent, tag, reported } = submission;
  const deadline = Date.now() + endMilliseconds;
  let last = 'nothing was asked';
  while (Date.now() < deadline) {
    if (submission.requestId !== null) {
      const request = await requestOf(load, url, submission);
      last = `request ${request?.status} ${JSON.stringify(request?.body)}`;
      if (request?.status === 200 && isFinal(request.body.state)) {
        submission.turnId = request.body.turn?.turn_id ?? null;
        if (submission.turnId === null) {
          submission.end = { ...never, error: JSON.stringify(request.body.error) };
          return [];
        }
      }
    }
    if (submission.turnId !== null) {
      const turn = await load.ask(url, agent, 'GET', `/turns/${submission.turnId}/record?wait_seconds=20`);
      last = `turn ${turn?.status} ${JSON.stringify(turn?.body)}`;
      if (turn?.status === 200 && turn.body.state === 'ended') {
        submission.end = endIn(turn);
        return [];
      }
      if (turn?.status === 404 && reported === 'unknown') {
        // The queue of a gateway may hold it: the ledger tells, at the end.
        return [];
      }
    } else if (submission.requestId === null) return [];
    await sleep(200);
  }
  return [`${tag} (${submission.way}, ${agent.name}, ${reported}) has no end: ${last}`];
}

/** Only a gateway tells of its queue. */
async function requestOf(load: Load, url: string, { agent, requestId }: Submission): Promise<Answer | null> {
  const path = `/gateway/requests/${requestId}?wait_seconds=4`;
  const answer = await load.ask(url, agent, 'GET', path);
  if (answer?.status !== 503) return answer;
  const attached = await load.ask(url, agent, 'POST', '/gateway/attach', {});
  return attached?.status === 200 ? load.ask(url, agent, 'GET', path) : attached;
}

const isFinal = (state: string): boolean => state !== 'accepted' && state !== 'running';

const endIn = ({ body }: Answer): End => ({
  outcome: body.outcome,
  delivery: body.delivery?.state ?? null,
  error: body.error && `${body.error.code}: ${body.error.detail}`,
  answer: body.answer?.text ?? null,
});
