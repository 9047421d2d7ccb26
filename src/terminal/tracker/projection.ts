import type { StyledRow } from '../../tools/screen/styled-rows.js';

/** The text of a screen, and the part of it that is conversation. */
export interface Projection {
  /** All rows, without styles and without the empty rows at the end. */
  normalized: string;
  dialog: string;
  /** The same without indentation, and empty where there is none yet: behind a mark that blinks, a row would seem to move. */
  conversation: string;
  /** The first and the last 12 rows of it. */
  head: string;
  tail: string;
}

/** What a detector saw that tells conversation from the rest. */
export interface ProjectionCues {
  /** The composer is on the screen: from its last prompt row down there is no conversation. */
  composer: boolean;
  /** A menu belongs to it; where that stands above, it ends at an empty row. */
  menu: boolean;
  /** The first row of what is typed there, where that is known. */
  draft: string | null;
  /** What the row says, behind its mark, that only says that the agent works. */
  workRow: string | null;
}

const edgeRows = 12;
/** Lines, frames, shades and dots without a word. */
const ornament = /^[\s\u2500-\u259f\u2800-\u28ff]+$/;
const frameEdges = /^\s*[│┃]\s?|\s*[│┃]\s*$/g;
const boxTop = /^\s*[╭┌]/;
const boxBottom = /^\s*[╰└]/;
const logo = /[\u2580-\u259f]{2}|^\s*>_ /;
const promptRow = /^\s*[❯›>](?:\s+(?<typed>.*))?$/;
const emptyPrompt = /^\s*[❯›>]\s*$/;
/** Hints that stand at the right, above the composer. */
const atTheRight = /^\s{40}/;
const workMark = /^\s*\S\s+/;
const marker = /^(\s*)[●⏺•✦⎿]\s+/;

export function projectScreen(rows: readonly StyledRow[], cues: ProjectionCues): Projection {
  const texts = trimmed(rows.map(({ text }) => text.trimEnd()));
  const normalized = texts.join('\n').trimEnd();
  const said = conversation(texts, cues);
  const dialogRows = said.length > 0 ? said : normalized.split('\n');
  return {
    normalized,
    dialog: dialogRows.join('\n'),
    conversation: said.map((text) => text.trimStart()).join('\n'),
    head: dialogRows.slice(0, edgeRows).join('\n'),
    tail: dialogRows.slice(-edgeRows).join('\n'),
  };
}

/** Rows from the first to the last that is not blank. */
function trimmed(texts: readonly string[]): string[] {
  const first = texts.findIndex((text) => text !== '');
  return first === -1 ? [] : texts.slice(first, texts.findLastIndex((text) => text !== '') + 1);
}

function conversation(texts: readonly string[], cues: ProjectionCues): string[] {
  const kept = texts
    .slice(bannerRows(texts), cues.composer ? composerRow(texts, cues) : texts.length)
    .filter((text) => !ornament.test(text) && !isWorkRow(text, cues.workRow))
    .map((text) => text.replace(frameEdges, '').trimEnd())
    .filter((text) => !emptyPrompt.test(text))
    .map((text) => text.replace(marker, '$1'));
  return trimmed(kept.filter((text, index) => text !== '' || kept[index - 1] !== ''));
}

/** Where the composer begins, and what stands right above it that is no conversation. */
function composerRow(texts: readonly string[], { draft, menu }: ProjectionCues): number {
  const typedIn = (text: string): string | null => {
    const match = promptRow.exec(text.replace(frameEdges, ''));
    return match && (match.groups?.typed ?? '');
  };
  // A menu below a draft may mark its choice as the composer marks its row.
  const withDraft =
    draft === null ? -1 : texts.findLastIndex((text) => typedIn(text)?.trim() === draft.trim());
  const found = withDraft === -1 ? texts.findLastIndex((text) => typedIn(text) !== null) : withDraft;
  let end = found === -1 ? texts.length : found;
  const isChrome = (text: string) => ornament.test(text) || atTheRight.test(text);
  while (end > 0 && isChrome(texts[end - 1]!)) end -= 1;
  while (menu && end > 0 && texts[end - 1] !== '') end -= 1;
  return end;
}

/** Behind its mark, the row may say something else at the right. */
const isWorkRow = (text: string, workRow: string | null): boolean =>
  workRow !== null &&
  [text.trim(), text.replace(workMark, '')].some((said) => said.split(/\s{2,}/)[0] === workRow.trim());

/** How many rows at the top are the tool's banner: a box, or rows beside its logo. */
function bannerRows(texts: readonly string[]): number {
  const [first = ''] = texts;
  if (boxTop.test(first)) return texts.findIndex((text) => boxBottom.test(text)) + 1;
  if (!logo.test(first)) return 0;
  const blank = texts.indexOf('');
  return blank === -1 ? 0 : blank;
}
