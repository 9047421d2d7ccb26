import { readParts } from '../run/part-file.js';
import { type DeliveryState, type TurnRecord, type TurnRow, toTurnRecord } from './turn-table.js';

/** A turn as it is on record, and its files. */
export interface StreamedTurn {
  readonly row: TurnRow;
  /** The path of {@link TurnArtifacts.parts}. */
  readonly parts: string;
  /** Names of its files, for its record. */
  artifacts(): string[];
}

/** How far a turn was read: its file up to a byte, and of its record up to a step. Written as `1284.3`. */
export interface PartPlace {
  readonly bytes: number;
  readonly step: number;
}

const start: PartPlace = { bytes: 0, step: 0 };

/** Reads a place as callers give it; the beginning of the turn for one that is left out. */
export function placeOf(text: string | undefined): PartPlace {
  if (text === undefined) return start;
  const [bytes = 0, step = 0] = text.split('.').map(Number);
  return { bytes, step };
}

const idOf = ({ bytes, step }: PartPlace): string => `${bytes}.${step}`;

/** The steps of a record, in their order. A turn ends with `unconfirmed` or `failed` where it was not confirmed. */
const steps: Readonly<Record<DeliveryState, number>> = {
  claimed: 1,
  handed_over: 2,
  confirmed: 3,
  unconfirmed: 4,
  failed: 4,
};
const endStep = 9;

/** Whether a caller has read the end of the turn. */
export const isRead = (after: PartPlace): boolean => after.step >= endStep;

type StoredPart = ReturnType<typeof readParts>[number]['part'];
type PartOf<P> = P extends { kind: infer Kind; data: infer Data }
  ? { id: string; at_utc: string; kind: Kind; data: Data }
  : never;
/** A part as callers get it. */
export type TurnPart =
  | PartOf<StoredPart>
  | PartOf<{ kind: 'delivery'; data: TurnRecord['delivery'] }>
  | PartOf<{ kind: 'ended'; data: TurnRecord }>;

export interface TurnPartPage {
  readonly schema_version: 1;
  readonly turn_id: string;
  readonly parts: TurnPart[];
  readonly next_after: string;
}

/** The most parts of a page. */
const most = 200;

/** Returns the parts of a turn behind a place. */
export function pageOf(turn: StreamedTurn, after: PartPlace): TurnPartPage {
  const { row } = turn;
  const parts: TurnPart[] = [];
  let place = after;
  const reached = steps[row.delivery_state];
  if (reached > place.step) {
    place = { ...place, step: reached };
    const { delivery } = toTurnRecord(row, [], false);
    parts.push({ id: idOf(place), at_utc: row.delivery_at_utc, kind: 'delivery', data: delivery });
  }
  // The file may be ahead of the record: what the agent says comes behind the sign that it took the prompt.
  const isTaken = place.step >= steps.confirmed || row.state === 'ended';
  const read = isRead(after) || !isTaken ? [] : readParts(turn.parts, after.bytes, most);
  for (const { end, part } of read) {
    place = { ...place, bytes: end };
    const { at_utc, kind, data } = part;
    parts.push({ id: idOf(place), at_utc, kind, data } as TurnPart);
  }
  // The row was read before the file: when it had ended, the file was whole.
  if (row.state === 'ended' && read.length === 0 && !isRead(after)) {
    place = { ...place, step: endStep };
    const data = toTurnRecord(row, turn.artifacts(), true);
    parts.push({ id: idOf(place), at_utc: row.ended_at_utc ?? row.started_at_utc, kind: 'ended', data });
  }
  return { schema_version: 1, turn_id: row.turn_id, parts, next_after: idOf(place) };
}
