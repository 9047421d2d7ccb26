import type { VersionRange } from '../../screen/screen-profile.js';
import { runAt, type StyledRow } from '../../screen/styled-rows.js';

/** What differs in the screens of Codex from version to version. */
export interface CodexProfile {
  version: string;
  /** Text in an ordinary style was typed. In versions that were never looked at, Codex may show its own text so. */
  knowsDrafts: boolean;
  /** Each turn ends with a row that says how long it took, so that one without such a row goes on. */
  endsTurns: boolean;
  /** Cells tell of other agents that Codex waits for. */
  collaborates: boolean;
  /** A transcript that grows shows work: by itself, or only soon after work was seen. */
  growthShowsWork: 'always' | 'after_activity';
  /** An interrupt may say nothing, and put the prompt back into the composer. */
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

/** The glyph before a prompt, of the composer and in the transcript. */
export const promptGlyph = '›';

/** Instead of the composer's glyph: it holds a command for the shell. The glyph is coloured. */
export const isShellRow = (row: StyledRow): boolean =>
  /^!(?: |$)/.test(row.text) && (runAt(row, 0)?.foreground ?? null) !== null;

export const beginsWithPromptGlyph = (row: StyledRow): boolean => /^›(?: |$)/.test(row.text);

/** The chosen entry of a menu is inverted, its glyph too. */
export const isChosenEntry = (row: StyledRow): boolean =>
  beginsWithPromptGlyph(row) && runAt(row, 0)?.inverse === true;

/** A prompt in the transcript: its glyph is dim, where the composer's is not. */
export const isPromptRow = (row: StyledRow): boolean => beginsWithPromptGlyph(row) && !isChosenEntry(row);

export const isBanner = (text: string): boolean => /(?:^|\s)>_ OpenAI Codex \(v/.test(text);

/** What Codex says of its work, such as `Working (3s • esc to interrupt)`; null for any other row. */
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

/** A tool that runs. Its verb is bold, which tells it from an answer that begins with the same word. */
export const isToolCell = (row: StyledRow): boolean =>
  /^• Waited for background terminal · /.test(row.text) ||
  (/^• (?:Calling|Running) /.test(row.text) && runAt(row, 2)?.otherAttribute === true);

/** Whether another agent is waited for; null for a row that does not say. */
export function waitsForAgent(text: string): boolean | null {
  if (/^• (?:Waiting for|Resumed) /.test(text)) return true;
  return /^• (?:Finished waiting|Failed to resume )/.test(text) ? false : null;
}

/** `■` stands before what went wrong, and before the word that a turn was interrupted. */
export const isFailureRow = (text: string): boolean => text.startsWith('■ ');

/** The last row of a turn, which says how long it took. */
export const isTurnEnd = (text: string): boolean =>
  /^ {2}Worked for <?[0-9]+[hms](?: [0-9]+[hms])*(?: • .*)?$/.test(text);

/** The rule before the last answer of a turn that has used tools. */
export const isWorkedRule = (text: string): boolean => text.startsWith('─ Worked for ');

/** A row of an answer, or of a tool that has run. */
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
