import { type CatalogueSection, textOf } from '../catalogues/catalogue-sections.js';
import { hasWords, isFound, type SearchIndex } from './search-index.js';

/** What a phrase finds. */
export interface Findings {
  /** The operations, by their ids. */
  readonly operations: ReadonlySet<string>;
  /** Sections with only the rows that are found, those with none left out. */
  readonly catalogues: readonly CatalogueSection[];
}

/** Operations, and catalogue rows by the names of their codes and kinds; where none has the name, rows by any of their words. */
export function lookUp(index: SearchIndex, sections: readonly CatalogueSection[], phrase: string): Findings {
  const found = [...index].filter(([, findable]) => isFound(findable, phrase)).map(([id]) => id);
  const byName = withRows(sections, ({ names }) => hasWords(names.join(' '), phrase));
  return {
    operations: new Set(found),
    catalogues: byName.length > 0 ? byName : withRows(sections, (row) => hasWords(textOf(row), phrase)),
  };
}

const withRows = (
  sections: readonly CatalogueSection[],
  keeps: (row: CatalogueSection['rows'][number]) => boolean,
): CatalogueSection[] =>
  sections
    .map((section) => ({ ...section, rows: section.rows.filter(keeps) }))
    .filter(({ rows }) => rows.length > 0);
