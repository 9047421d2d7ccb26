import type { VersionRange } from '../../screen/screen-profile.js';
import { runAt, type StyledRow } from '../../screen/styled-rows.js';

/** The differences between the screens of Codex versions. */
export interface CodexProfile {
  version: string;
  /** Text in an ordinary style was typed. An untested version of Codex may show its own text in that style. */
  knowsDrafts: boolean;
  /** Each turn ends with a row that gives its duration; a turn without such a row is still running. */
  endsTurns: boolean;
  /** Rows of the transcript show when Codex waits for other agents. */
  collaborates: boolean;
  /** Whether a growing transcript alone shows work, or only soon after other signs of work. */
  growthShowsWork: 'always' | 'after_activity';
  /** An interrupt may leave no message, and put the prompt back into the composer. */
  interruptsSilently: boolean;
}

const early: Omit<CodexProfile, 'version'> = {
  knowsDrafts: true,
  endsTurns: false,
  collaborates: false,
  growthShowsWork: 'always',
  interruptsSilently: false,
};
const later: Omit<CodexProfile, 'version'> = {
  knowsDrafts: true,
  endsTurns: false,
  collaborates: true,
  growthShowsWork: 'after_activity',
  interruptsSilently: true,
};

export const codexProfiles: readonly VersionRange<CodexProfile>[] = [
  { from: [0, 116, 0], before: [0, 117, 0], value: { version: '0.116.x', ...early } },
  { from: [0, 144, 0], before: [0, 145, 0], value: { version: '0.144.x', ...later } },
  { from: [0, 169, 0], before: [0, 170, 0], value: { version: '0.169.x', ...later, endsTurns: true } },
];

export const codexFallback: CodexProfile = { version: 'fallback', ...early, knowsDrafts: false };

/** The glyph before a prompt, in the composer and in the transcript. */
export const promptGlyph = '›';

/** Recognizes a composer that holds a shell command: a coloured `!` replaces its glyph. */
export const isShellRow = (row: StyledRow): boolean =>
  /^!(?: |$)/.test(row.text) && (runAt(row, 0)?.foreground ?? null) !== null;

export const beginsWithPromptGlyph = (row: StyledRow): boolean => /^›(?: |$)/.test(row.text);

/** Recognizes the chosen entry of a menu: it is inverted, its glyph included. */
export const isChosenEntry = (row: StyledRow): boolean =>
  beginsWithPromptGlyph(row) && runAt(row, 0)?.inverse === true;

/**
 * Recognizes a row that begins with the prompt glyph, except the chosen entry of a menu. The glyph is dim in a prompt of the
 * transcript, and not dim in the composer.
 */
export const isPromptRow = (row: StyledRow): boolean => beginsWithPromptGlyph(row) && !isChosenEntry(row);

export const isBanner = (text: string): boolean => /(?:^|\s)>_ OpenAI Codex \(v/.test(text);

/** Returns the status text of Codex, such as `Working (3s • esc to interrupt)`; null for any other row. */
export function statusIn(text: string): string | null {
  const match = /^[•◦] (.+ \([^()]*\bto interrupt\b[^()]*\))(?: · .*)?$/.exec(text);
  const status = match?.[1] ?? null;
  return status === null || /^(?:Booting MCP server:|Starting MCP servers)/.test(status) ? null : status;
}

const startsServers = (text: string): boolean =>
  /^[•◦] (?:Booting MCP server:|Starting MCP servers)/.test(text);

export const isFollowUpQueue = (text: string): boolean =>
  /^• Queued follow-up (?:inputs|messages)\b/.test(text);

export const isSteeringQueue = (text: string): boolean =>
  /^• Messages to be submitted (?:after next tool call|at end of turn)\b/.test(text);

export const isRetry = (text: string): boolean =>
  /^(?:• )?Reconnecting(?:\.\.\.| to model stream)\s*\(?[0-9]+\/[0-9]+\)?(?:\s*\([^()]*to interrupt[^()]*\))?$/i.test(
    text,
  );

/** Recognizes a running tool by its bold verb; an answer that begins with the same word is not bold. */
export const isToolCell = (row: StyledRow): boolean =>
  /^• Waited for background terminal · /.test(row.text) ||
  (/^• (?:Calling|Running) /.test(row.text) && runAt(row, 2)?.otherAttribute === true);

/** Decides whether Codex waits for another agent; null for a row that does not show it. */
export function waitsForAgent(text: string): boolean | null {
  if (/^• (?:Waiting for|Resumed) /.test(text)) return true;
  return /^• (?:Finished waiting|Failed to resume )/.test(text) ? false : null;
}

/** Recognizes the `■` before a failure, and before the message that a turn was interrupted. */
export const isFailureRow = (text: string): boolean => text.startsWith('■ ');

/** Recognizes the last row of a turn, which gives its duration. */
export const isTurnEnd = (text: string): boolean =>
  /^ {2}Worked for <?[0-9]+[hms](?: [0-9]+[hms])*(?: • .*)?$/.test(text);

/** Recognizes the rule before the last answer of a turn that has used tools. */
export const isWorkedRule = (text: string): boolean => text.startsWith('─ Worked for ');

/** Recognizes a row of an answer, or of a tool that has run. */
export function isAnswerRow(row: StyledRow): boolean {
  const { text } = row;
  if (!text.startsWith('• ') || text.startsWith('• You have ')) return false;
  return !(
    statusIn(text) !== null ||
    startsServers(text) ||
    isFollowUpQueue(text) ||
    isSteeringQueue(text) ||
    isRetry(text) ||
    isToolCell(row) ||
    waitsForAgent(text) !== null
  );
}
