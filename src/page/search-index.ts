import MiniSearch, { type Query } from 'minisearch';
import { errorCatalogue, eventCatalogue } from '../contract/document/catalogues.js';
import { anchorOf, type ContractDocument, operationsOf } from '../contract/document/contract-document.js';
import { type Passage, type Place, passagesOf } from './passages.js';

/** A thing that the search can find: an operation, or a row of a catalogue. */
export interface Findable {
  /** Its method, or the kind of row. */
  readonly badge: string;
  /** Its path, or the word of the row. */
  readonly title: string;
  readonly summary: string;
  /** Where the page shows it: the fragment of an operation, or the id of a row. */
  readonly anchor: string;
  readonly passages: readonly Passage[];
}

/** A part of an excerpt; it is marked where it matched. */
export interface ExcerptPart {
  readonly text: string;
  readonly marked: boolean;
}
export interface Found extends Findable {
  /** Where in the thing the phrase was found, such as "answer field state"; the name is in the excerpt where that is the hit. */
  readonly place: string;
  readonly excerpt: readonly ExcerptPart[];
}

export type Search = (phrase: string) => readonly Found[];

/** Returns everything that can be found on the page of a surface. */
export function findablesOf(document: ContractDocument): Findable[] {
  const [errors, events] = [errorCatalogue(document), eventCatalogue(document)];
  const operations = operationsOf(document).map((placed): Findable => {
    const { method, path, operation } = placed;
    const { summary = '' } = operation;
    const passages = passagesOf(document, placed, { errors, events });
    return { badge: method.toUpperCase(), title: path, summary, anchor: anchorOf(operation), passages };
  });
  const codes = errors.map(({ code, sentence, statuses }) =>
    rowOf('ERROR', code, sentence, `Answered with ${statuses.join(', ')}.`),
  );
  const kinds = events.map(({ kind, sentence, data }) =>
    rowOf('EVENT', kind, sentence, data.map(({ name, description }) => `${name}: ${description}`).join(' ')),
  );
  return [...operations, ...codes, ...kinds];
}

const rowOf = (badge: 'ERROR' | 'EVENT', title: string, summary: string, more: string): Findable => ({
  badge,
  title,
  summary,
  anchor: rowId(title),
  passages: [
    { place: badge === 'ERROR' ? 'error code' : 'event kind', name: title, text: summary },
    { place: 'description', name: null, text: more },
  ],
});

/** Returns the id of the row of a catalogue on the page. */
export const rowId = (word: string): string => `row-${word}`;

/** The weight of a word by the place where it stands. */
const weights: Readonly<Record<Place, number>> = {
  name: 8,
  path: 6,
  summary: 6,
  'error code': 4,
  'event kind': 4,
  description: 3,
  parameter: 3,
  'request field': 2,
  answer: 2,
  'answer field': 1,
};
const places = Object.keys(weights) as Place[];
const mostFindings = 30;

/** Returns the function that searches: the best findings first, each with the place of the hit. */
export function searchOver(findables: readonly Findable[]): Search {
  const index = new MiniSearch<Findable & { readonly id: number }>({
    fields: places,
    tokenize: wordsOf,
    extractField: (one, field) =>
      field === 'id' ? one.id : (textIn(one, field as Place) as unknown as string),
    searchOptions: {
      boost: weights,
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 5 ? 0.2 : false),
      combineWith: 'AND',
      boostDocument: (id) => usefulness(findables[id as number] as Findable),
    },
  });
  index.addAll(findables.map((findable, id) => ({ ...findable, id })));
  return (phrase) => {
    const words = wordsOf(phrase);
    const long = words.filter((word) => word.length > 1);
    // "a" stands everywhere.
    const asked = long.length > 0 ? long : words;
    const named = findables.filter(({ title }) => title === phrase.trim().toLowerCase());
    const found = index.search({ combineWith: 'AND', queries: asked.map(withAlike) });
    return [
      ...named.map((findable) => findingOf(findable, asked, asked)),
      ...found.flatMap(({ id, terms }) => {
        const findable = findables[id as number];
        return findable === undefined || named.includes(findable) ? [] : [findingOf(findable, asked, terms)];
      }),
    ].slice(0, mostFindings);
  };
}

/** The contract's words for what readers call otherwise. */
const alike: ReadonlyMap<string, readonly string[]> = new Map([
  ['stop', ['interrupt', 'cancel']],
  ['abort', ['interrupt', 'cancel']],
  ['kill', ['interrupt', 'stop']],
  ['message', ['prompt', 'mail']],
  ['log', ['events']],
]);

const exactly = { combineWith: 'OR', prefix: false, fuzzy: false, boostTerm: () => 0.4 } as const;

const withAlike = (word: string): Query => {
  const others = alike.get(word);
  return others === undefined
    ? word
    : {
        combineWith: 'OR',
        queries: [word, { ...exactly, queries: [...others] }],
      };
};

/** A reader looks for an operation rather than for a row, and never for one that programs of this project call. */
const usefulness = ({ badge, title }: Findable): number =>
  badge === 'ERROR' || badge === 'EVENT' || title.includes('/internal/') ? 0.4 : 1;

const textIn = ({ passages }: Findable, place: Place): string =>
  passages
    .filter((passage) => passage.place === place)
    .map(({ name, text }) => `${name ?? ''} ${text}`)
    .join('\n');

/**
 * Splits a text into the words by which it is found, in lower case: those between signs, and the parts of a name such as
 * `turn_id` or `streamTurn` beside the whole of it.
 */
export function wordsOf(text: string): string[] {
  const names = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return names.flatMap((name) => {
    const parts = name
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
      .toLowerCase()
      .split('_')
      .filter((part) => part !== '');
    return parts.length > 1 ? [name.toLowerCase(), ...parts] : parts;
  });
}

/**
 * @param asked the words of the phrase.
 * @param terms the words of the thing that matched them.
 */
function findingOf(findable: Findable, asked: readonly string[], terms: readonly string[]): Found {
  const wanted = new Set(terms);
  const isHit = (word: string): boolean => wordsOf(word).some((part) => wanted.has(part));
  const scoreOf = ({ name, text }: Passage): number => {
    const hits = wordsOf(`${name ?? ''} ${text}`).filter((word) => wanted.has(word));
    const exact = name?.toLowerCase() === asked[0] ? 1 : 0;
    return (
      exact +
      asked.filter((word) => hits.some((hit) => hit.startsWith(word))).length +
      (hits.length > 0 ? 0.5 : 0)
    );
  };
  const [best] = findable.passages
    .map((passage) => ({ passage, score: scoreOf(passage) }))
    .sort((one, other) => other.score - one.score);
  if (best === undefined) return { ...findable, place: '', excerpt: [] };
  const { place, name, text } = best.passage;
  return name !== null && isHit(name)
    ? { ...findable, place, excerpt: excerptOf(`${name}: ${text}`, isHit) }
    : { ...findable, place: name === null ? place : `${place} ${name}`, excerpt: excerptOf(text, isHit) };
}

/** The most letters of an excerpt before its first hit, and in all. */
const [before, longest] = [50, 160];

/** Cuts the part of a text out that has its first hit, and marks every hit in it. */
export function excerptOf(text: string, isHit: (word: string) => boolean): ExcerptPart[] {
  const pieces = text.split(/([\p{L}\p{N}_]+)/u).filter((piece) => piece !== '');
  const first = pieces.findIndex((piece) => isHit(piece));
  let start = Math.max(0, first);
  for (let room = before; start > 0 && room > 0; start -= 1) room -= pieces[start - 1]?.length ?? 0;
  const parts: { text: string; marked: boolean }[] = start > 0 ? [{ text: '… ', marked: false }] : [];
  let length = 0;
  let end = start;
  for (; end < pieces.length && length < longest; end += 1) {
    const piece = pieces[end] ?? '';
    const marked = isHit(piece);
    const last = parts.at(-1);
    length += piece.length;
    if (last && last.marked === marked) last.text += piece;
    else parts.push({ text: piece, marked });
  }
  return end < pieces.length ? [...parts, { text: ' …', marked: false }] : parts;
}
