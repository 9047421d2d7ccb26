import type { PromptMetadata } from '../contract/prompt-metadata.js';
import type { Store, TableSchema } from '../storage/store.js';

/**
 * The labels of prompts, a row for each: of a request in a queue by its id, of a direct prompt by that of its turn
 * (docs/decisions.md#prompt-metadata).
 */
export const metadataSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS prompt_metadata (
  number INTEGER PRIMARY KEY,
  subject_id TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (subject_id, key)
);
`,
  indexes: `
CREATE INDEX IF NOT EXISTS prompt_metadata_by_value ON prompt_metadata (key, value);
`,
};

interface MetadataRow {
  subject_id: string;
  key: string;
  value: string;
}

/** Reads the labels of the prompts in a JSON list; also for readers of a session that another program owns. */
export const metadataSql = `SELECT subject_id, key, value FROM prompt_metadata
  WHERE subject_id IN (SELECT value FROM json_each(?)) ORDER BY number`;

/** Returns the id under which the labels of a turn's prompt are stored. */
export const subjectOf = ({ request_id, turn_id }: { request_id: string | null; turn_id: string }): string =>
  request_id ?? turn_id;

/** Returns the labels by prompt; a prompt without any has no entry. @param rows those of {@link metadataSql} */
export function metadataBySubject(rows: readonly MetadataRow[]): ReadonlyMap<string, PromptMetadata> {
  const entries = new Map<string, [string, string][]>();
  for (const { subject_id, key, value } of rows) {
    const known = entries.get(subject_id) ?? [];
    entries.set(subject_id, [...known, [key, value]]);
  }
  return new Map([...entries].map(([subject, pairs]) => [subject, Object.fromEntries(pairs)]));
}

/** The table `prompt_metadata`, one statement per method. Methods that write are called inside `Journal.write`. */
export class MetadataTable {
  readonly #statements;

  constructor(store: Store) {
    this.#statements = {
      insert: store.prepare<[string, string, string]>(
        'INSERT INTO prompt_metadata (subject_id, key, value) VALUES (?, ?, ?)',
      ),
      of: store.prepare<[string], MetadataRow>(metadataSql),
      forget: store.prepare<[string]>('DELETE FROM prompt_metadata WHERE subject_id = ?'),
    };
  }

  /** @param subject the id of a request, or of the turn of a direct prompt. */
  insert(subject: string, metadata: PromptMetadata | null): void {
    for (const [key, value] of Object.entries(metadata ?? {}))
      this.#statements.insert.run(subject, key, value);
  }
  of(subjects: readonly string[]): ReadonlyMap<string, PromptMetadata> {
    return subjects.length === 0
      ? new Map()
      : metadataBySubject(this.#statements.of.all(JSON.stringify(subjects)));
  }
  forget(subject: string): void {
    this.#statements.forget.run(subject);
  }
}
