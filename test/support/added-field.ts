import { readFileSync, writeFileSync } from 'node:fs';

/** Adds a field to a JSON file, as another program may that knows more of it. @returns what puts it back. */
export function addField(path: string): () => void {
  const sound = readFileSync(path, 'utf8');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(sound), added: true }));
  return () => writeFileSync(path, sound);
}
