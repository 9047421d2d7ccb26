// The transcript of a turn, made of its parts as they come. Pure.
import type { Schemas } from '@houmao/sdk/managed-agent';

type TurnPart = Schemas['TurnPart'];

/** A paragraph of a transcript. */
export type TurnPassage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | {
      readonly kind: 'tool';
      readonly id: string | null;
      readonly name: string;
      readonly summary: string;
      readonly result: string | null;
      readonly failed: boolean | null;
    }
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string; readonly bad: boolean };

export interface TurnTranscript {
  readonly passages: readonly TurnPassage[];
  /** How far the prompt got. */
  readonly delivery: Schemas['TurnDelivery'] | null;
  readonly usage: Schemas['TurnUsage'] | null;
  /** The record of the turn, once it has ended. */
  readonly ended: Schemas['TurnRecord'] | null;
}

export const emptyTranscript: TurnTranscript = { passages: [], delivery: null, usage: null, ended: null };

/** Adds a part. Kinds of later servers change nothing. */
export function withPart(transcript: TurnTranscript, part: TurnPart): TurnTranscript {
  const { passages } = transcript;
  const add = (passage: TurnPassage): TurnTranscript => ({ ...transcript, passages: [...passages, passage] });
  switch (part.kind) {
    case 'text':
      return { ...transcript, passages: withText(passages, part.data) };
    case 'reasoning':
      return add({ kind: 'reasoning', text: part.data.text });
    case 'tool_use': {
      const { tool_use_id, name, summary } = part.data;
      return add({ kind: 'tool', id: tool_use_id, name, summary, result: null, failed: null });
    }
    case 'tool_result':
      return { ...transcript, passages: withResult(passages, part.data) };
    case 'dialog_shown':
      return add({ kind: 'question', text: part.data.text });
    case 'notice':
      return add({ kind: 'note', text: part.data.text, bad: part.data.severity === 'error' });
    case 'gap':
      return add({ kind: 'note', text: part.data.detail, bad: true });
    case 'delivery':
      return { ...transcript, delivery: part.data };
    case 'usage':
      return { ...transcript, usage: part.data };
    case 'ended':
      return { ...transcript, delivery: part.data.delivery, ended: part.data };
    default:
      return transcript;
  }
}

/** A message that is continued or replaced is the last text: nothing that a tool does comes between its pieces. */
function withText(
  passages: readonly TurnPassage[],
  { text, position }: Schemas['TextPartData'],
): TurnPassage[] {
  const at = passages.findLastIndex(({ kind }) => kind === 'text');
  const last = passages[at];
  if (position === 'begins' || last?.kind !== 'text') return [...passages, { kind: 'text', text }];
  return passages.with(at, { kind: 'text', text: position === 'continues' ? last.text + text : text });
}

/** A result belongs to the use with its id; one without an id belongs to the latest use that has none yet. */
function withResult(
  passages: readonly TurnPassage[],
  { tool_use_id: id, is_error: failed, summary }: Schemas['ToolResultPartData'],
): TurnPassage[] {
  const at = passages.findLastIndex(
    (passage) => passage.kind === 'tool' && passage.result === null && (id === null || passage.id === id),
  );
  const use = passages[at];
  return use?.kind === 'tool' ? passages.with(at, { ...use, result: summary, failed }) : [...passages];
}
