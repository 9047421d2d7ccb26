import { recordOf } from '../tools/adapter/json-value.js';
import { type ReportedPart, reportedPart, textPart } from '../tools/adapter/reported-part.js';
import { namedModel, pieceOf } from '../tools/adapter/row-facts.js';
import type { CanonicalDraft } from '../tools/adapter/tool-adapter.js';
import { type TurnUsage, turnUsageOf } from './running-turn.js';

/** A part of a turn as it is stored while the turn runs; how far the delivery got, and the end, are in the record of the turn. */
export type PartDraft =
  | ReportedPart
  | { readonly kind: 'notice'; readonly data: { severity: 'warning' | 'error'; text: string } }
  | { readonly kind: 'usage'; readonly data: TurnUsage }
  | {
      readonly kind: 'dialog_shown';
      readonly data: { dialog_id: string; dialog_kind: string; text: string; choices: string[] };
    }
  | { readonly kind: 'dialog_closed'; readonly data: { dialog_id: string } }
  | { readonly kind: 'gap'; readonly data: { detail: string } };

// A message of the agent:
//
//   none ──a piece, or the whole──▶ begun ──pieces──▶ begun
//    ▲                                │
//    └──the whole, or anything else that the agent does ──┘
//
// Some tools report pieces and then the whole, some only pieces, some only the whole.

/** Turns the events of a headless turn into its parts. It never throws. */
export class PartReading {
  /** The pieces of the message so far; null while none has begun. */
  #message: string | null = null;
  #model: string | null = null;

  of(event: CanonicalDraft): PartDraft[] {
    this.#model ??= namedModel(event);
    const { kind, data, message } = event;
    const piece = pieceOf(event);
    if (piece !== null) return [this.#piece(piece)];
    const part = reportedPart(event);
    if (part?.kind === 'text') return data.delta === true ? [this.#piece(message)] : this.#whole(message);
    if (part !== null) {
      this.#message = null;
      return [part];
    }
    if (kind === 'completion') {
      const scope = data.usage_scope === 'conversation' ? 'conversation' : 'turn';
      const usage = data.of_no_turn === true ? null : turnUsageOf(this.#model, recordOf(data.usage), scope);
      return usage === null ? [] : [{ kind: 'usage', data: usage }];
    }
    const severity = severityOf(event);
    return severity === null ? [] : [{ kind: 'notice', data: { severity, text: message } }];
  }

  #piece(text: string): PartDraft {
    const position = this.#message === null ? 'begins' : 'continues';
    this.#message = (this.#message ?? '') + text;
    return { kind: 'text', data: { text, position } };
  }

  #whole(text: string): PartDraft[] {
    const pieces = this.#message;
    this.#message = null;
    if (pieces === null) return [textPart(text)];
    if (pieces === text) return [];
    return text.startsWith(pieces)
      ? [{ kind: 'text', data: { text: text.slice(pieces.length), position: 'continues' } }]
      : [{ kind: 'text', data: { text, position: 'replaces' } }];
  }
}

/** Returns how serious a difficulty is that the event reports; null if it reports none. Lines on stderr are no part of the turn. */
function severityOf({ kind, data }: CanonicalDraft): 'warning' | 'error' | null {
  if (data.subtype === 'api_retry') return 'warning';
  return data.api_error !== undefined || (kind === 'diagnostic' && data.severity === 'error')
    ? 'error'
    : null;
}

/** The longest text of one stored part, in UTF-16 units: a line of the file must fit into one read. */
const longestText = 64 * 1024;

/** Divides a part whose text is too long to be stored as one. */
export function inPieces(part: PartDraft): PartDraft[] {
  if (part.kind === 'reasoning' && part.data.text.length > longestText)
    return [{ kind: 'reasoning', data: { text: part.data.text.slice(0, longestText) } }];
  if (part.kind !== 'text' || part.data.text.length <= longestText) return [part];
  const pieces: PartDraft[] = [];
  const { text, position } = part.data;
  for (let at = 0; at < text.length; ) {
    const end = at + longestText;
    // A pair of surrogates stays together.
    const cut = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end;
    const piece = text.slice(at, cut);
    pieces.push({ kind: 'text', data: { text: piece, position: at === 0 ? position : 'continues' } });
    at = cut;
  }
  return pieces;
}
