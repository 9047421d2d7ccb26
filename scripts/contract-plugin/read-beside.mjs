import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** The folder of what the documents share. */
export const componentsOf = (location) => join(dirname(location.source.absoluteRef), 'components');

/** A file of `components/` beside the document; null for a document without one, as a bundle is. */
export function readBeside(location, name) {
  const file = join(componentsOf(location), name);
  return existsSync(file) ? parse(readFileSync(file, 'utf8')) : null;
}
