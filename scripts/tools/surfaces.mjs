import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

/** The names of the surfaces: each `openapi/<name>.yaml` is the document of one. */
export const surfaces = readdirSync(resolve(import.meta.dirname, '../../openapi'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length))
  .sort();
