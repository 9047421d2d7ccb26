const id = `msg-20260313T091530Z-${'a'.repeat(32)}`;

/** The keys that every message has. */
const plain: Readonly<Record<string, string>> = {
  message_id: id,
  thread_id: id,
  created_at_utc: "'2026-03-13T09:15:30Z'",
  subject: 'Hi',
  from: '{principal_id: p, address: a@b}',
  to: '[{principal_id: q, address: c@d}]',
};

/** A document as another writer might make it: values are YAML. */
export const documentOf = (changes: Readonly<Record<string, string>>): string =>
  `---\n${Object.entries({ ...plain, ...changes })
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')}---\n`;

/** The YAML of a document. */
export const frontMatterOf = (document: string): string =>
  document.slice('---\n'.length, document.indexOf('\n---\n') + 1);
