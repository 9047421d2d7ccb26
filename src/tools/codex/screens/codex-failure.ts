import { firstCodePoints } from '../../../foundation/text.js';
import type { ChatContext } from '../../screen/frame-signals.js';
import { isAnswerRow, isFailureRow, isTurnEnd } from './codex-screen-rules.js';
import type { CodexTurn } from './codex-turn.js';

/** The failure or interruption of the latest turn, if it had one. */
export interface CodexFailure {
  interrupted: boolean;
  currentError: boolean;
  knownFailure: boolean;
  /** The text in which Codex describes it. */
  message: string | null;
  chatContext: ChatContext;
}

const mostContinuationRows = 4;
const previewLength = 240;

/** The words of failures that end a turn, in every version. */
const knownFailures = [
  'overload(?:ed)?|high load|high demand|at capacity|quota exceed(?:ed)?|usage limit',
  'context window|ran out of room|invalid prompt',
  'unexpected status [0-9]{3}|exceeded retry limit|stream disconnected before completion',
];
const knownFailure = new RegExp(`\\b(?:${knownFailures.join('|')})\\b`, 'i');

const compactionFailed =
  /remote compact|compact task|compact(?:ion)?\b.*(?:fail|error|disconnect|server|stream)|(?:server|stream|remote).*compact/i;

/** The reasons why a conversation could not be compacted; the first match decides. */
const compactionErrors: readonly (readonly [string, RegExp])[] = [
  [
    'codex_remote_compact_stream_disconnected',
    /(?:stream|connection|response body|socket).*(?:disconnect|closed|lost|ended)|(?:disconnect|closed|lost|ended).*(?:stream|connection|response body|socket)/i,
  ],
  [
    'codex_remote_compact_context_length_exceeded',
    /context_length_exceeded|context length|context window|ran out of room/i,
  ],
  [
    'codex_remote_compact_unknown_parameter',
    /(?:unknown|unrecognized|unsupported) (?:parameter|param|argument|field)/i,
  ],
  [
    'codex_remote_compact_server_error',
    /server error|internal server error|bad gateway|gateway timeout|service unavailable|\b5[0-9]{2}\b/i,
  ],
];

/**
 * Reads the failure of the latest turn. Only the block right above the composer counts: after an older failure something else
 * followed.
 */
export function codexFailure(turn: CodexTurn): CodexFailure {
  const interrupted = isInterrupted(turn);
  const block = blockAtEnd(turn);
  const message = block?.text.slice(2) ?? null;
  const none = { currentError: false, knownFailure: false, chatContext: current };
  if (block === null || isInterruption(block.text)) return { ...none, interrupted, message };
  const degraded = block.isFailure && compactionFailed.test(block.text);
  const known = !degraded && knownFailure.test(block.text);
  if (!block.isFailure && !known) return { ...none, interrupted, message: null };
  return {
    interrupted,
    currentError: true,
    knownFailure: known,
    message,
    chatContext: degraded ? degradedContext(block.text) : current,
  };
}

const current: ChatContext = { state: 'current', diagnostic: null };

const isInterruption = (block: string): boolean => block.startsWith('■ Conversation interrupted');

function isInterrupted(turn: CodexTurn): boolean {
  const start = turn.rows.findLastIndex((row) => isFailureRow(row.text));
  if (start < 0 || turn.rows.slice(start).some(isAnswerRow)) return false;
  return isInterruption(flattened(turn.rows.slice(start, start + 1 + mostContinuationRows)));
}

/**
 * Returns the block at the end of the turn: a row with `■` or `⚠` and its continuation rows; null if something else stands last.
 */
function blockAtEnd(turn: CodexTurn): { text: string; isFailure: boolean } | null {
  const last = turn.rows.findLastIndex((row) => !isTurnEnd(row.text));
  const start = turn.rows.findLastIndex((row, index) => index <= last && !isContinuation(row.text));
  const first = turn.rows[start];
  if (first === undefined || last - start > mostContinuationRows) return null;
  const isFailure = isFailureRow(first.text);
  if (!isFailure && !first.text.startsWith('⚠ ')) return null;
  return { text: flattened(turn.rows.slice(start, last + 1)), isFailure };
}

const isContinuation = (text: string): boolean => !/^\s*(?:[›•◦■⚠✗╭│╰─]|Tip:|model:)/.test(text);

function degradedContext(block: string): ChatContext {
  const degradedErrorType = compactionErrors.find(([, cue]) => cue.test(block))?.[0] ?? 'unknown';
  const start = firstCodePoints(block, previewLength);
  const messagePreview = start === block ? block : `${firstCodePoints(block, previewLength - 3)}...`;
  return { state: 'degraded', diagnostic: { degradedErrorType, messagePreview } };
}

const flattened = (rows: CodexTurn['rows']): string =>
  rows
    .map((row) => row.text.trim())
    .join(' ')
    .replaceAll(/\s+/g, ' ');
