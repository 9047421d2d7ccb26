import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** The folder of what the documents share. */
export const componentsOf = (location) => join(dirname(location.source.absoluteRef), 'components');

/** The folder of the paths of one document: `gateway/` beside `gateway.yaml`. */
export const ownFolderOf = (location) => location.source.absoluteRef.replace(/\.yaml$/, '');

/** A YAML file; null where there is none, as beside a bundle. */
export const read = (file) => (existsSync(file) ? parse(readFileSync(file, 'utf8')) : null);

/** A file of `components/` beside the document; null for a document without one, as a bundle is. */
export const readBeside = (location, name) => read(join(componentsOf(location), name));
