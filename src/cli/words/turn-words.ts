import type { Schemas } from '@houmao/sdk/managed-agent';
import type { TimeWords } from './local-time.js';
import { labelWords } from './request-words.js';
import { type Output, table } from './terminal-output.js';

type TurnRecord = Schemas['TurnRecord'];

/** Reports each step of a turn once: running, delivered. */
export function announceTurn(before: TurnRecord | null, now: TurnRecord, output: Output): void {
  if (before === null) output.progress(`Running as ${now.turn_id}`);
  if (now.delivery.state === 'confirmed' && before?.delivery.state !== 'confirmed')
    output.progress(`Delivered: ${now.delivery.evidence}`);
}

/** Prints one turn with its details; its answer comes last, after an empty line. */
export function turnLines(turn: TurnRecord, time: TimeWords): string[] {
  const { delivery, error, answer } = turn;
  const rows: [string, string | null][] = [
    ['started', time(turn.started_at_utc)],
    ['ended', turn.ended_at_utc && time(turn.ended_at_utc)],
    ['delivery', [delivery.state, delivery.evidence].filter((part) => part !== null).join(': ')],
    ['error', error && `${error.detail} (${error.code})`],
    ['request', turn.request_id],
    ['metadata', turn.metadata ? labelWords(turn.metadata) : null],
  ];
  const known = rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return [
    `${turn.turn_id}  ${turn.outcome ?? turn.state}`,
    ...table(known).map((line) => `  ${line}`),
    ...(answer?.text ? ['', answer.text] : []),
  ];
}
