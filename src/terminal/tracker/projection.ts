import type { StyledRow } from '../../tools/screen/styled-rows.js';

/** The text of a screen, and the part of it that is conversation. */
export interface Projection {
  /** All rows, without styles and without the empty rows at the end. */
  normalized: string;
  dialog: string;
  /** The first and the last 12 rows of it. */
  head: string;
  tail: string;
}

/** What a detector saw that tells conversation from the rest. */
export interface ProjectionCues {
  /** The composer is on the screen: from its last prompt row down there is no conversation. */
  composer: boolean;
  /** The row that only says that the agent works. */
  workRow: string | null;
}

const edgeRows = 12;
/** Lines, frames and shades without a word. */
const ornament = /^[\s\u2500-\u259f]+$/;
const frameEdges = /^\s*[│┃]\s?|\s*[│┃]\s*$/g;
const boxTop = /^\s*[╭┌]/;
const boxBottom = /^\s*[╰└]/;
const logo = /[\u2580-\u259f]{2}/;
const promptRow = /^\s*[│┃]?\s*[❯›>](\s|$)/;
const emptyPrompt = /^\s*[❯›>]\s*$/;
const marker = /^(\s*)[●⏺•✦⎿]\s+/;

export function projectScreen(rows: readonly StyledRow[], cues: ProjectionCues): Projection {
  const texts = trimmed(rows.map(({ text }) => text.trimEnd()));
  const normalized = texts.join('\n').trimEnd();
  const said = conversation(texts, cues);
  const dialogRows = said.length > 0 ? said : normalized.split('\n');
  return {
    normalized,
    dialog: dialogRows.join('\n'),
    head: dialogRows.slice(0, edgeRows).join('\n'),
    tail: dialogRows.slice(-edgeRows).join('\n'),
  };
}

/** Rows from the first to the last that is not blank. */
function trimmed(texts: readonly string[]): string[] {
  const first = texts.findIndex((text) => text !== '');
  return first === -1 ? [] : texts.slice(first, texts.findLastIndex((text) => text !== '') + 1);
}

function conversation(texts: readonly string[], { composer, workRow }: ProjectionCues): string[] {
  const end = composer ? texts.findLastIndex((text) => promptRow.test(text)) : -1;
  const kept = texts
    .slice(bannerRows(texts), end === -1 ? texts.length : end)
    .filter((text) => !ornament.test(text) && (workRow === null || text.trim() !== workRow.trim()))
    .map((text) => text.replace(frameEdges, '').trimEnd())
    .filter((text) => !emptyPrompt.test(text))
    .map((text) => text.replace(marker, '$1'));
  return trimmed(kept.filter((text, index) => text !== '' || kept[index - 1] !== ''));
}

/** How many rows at the top are the tool's banner: a box, or rows beside its logo. */
function bannerRows(texts: readonly string[]): number {
  const [first = ''] = texts;
  if (boxTop.test(first)) return texts.findIndex((text) => boxBottom.test(text)) + 1;
  if (!logo.test(first)) return 0;
  const blank = texts.indexOf('');
  return blank === -1 ? 0 : blank;
}
