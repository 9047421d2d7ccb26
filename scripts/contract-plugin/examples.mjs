import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

/**
 * Puts the examples of `examples/` in the places that refer to them: `example: { $ref }` and `value: { $ref }`, also inside
 * one another, so that a record is written once. A preprocessor, because the linter checks only examples that it finds
 * in place. An example that is referred to and not there stops the run.
 */
export const Examples = () => {
  const files = new Map();
  const open = (file) => {
    if (!files.has(file)) files.set(file, parse(readFileSync(file, 'utf8'), { merge: true }));
    return files.get(file);
  };
  const place = (value, from) => {
    if (Array.isArray(value)) return value.map((inner) => place(inner, from));
    if (value === null || typeof value !== 'object') return value;
    if (typeof value.$ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, place(inner, from)]));
    const [path, name] = value.$ref.split('#/');
    const file = path === '' ? from : resolve(dirname(from), path);
    const example = open(file)[name];
    if (example === undefined)
      throw new Error(`${from} refers to the example ${name}, which ${file} does not have`);
    return place(example, file);
  };
  return {
    MediaType: {
      enter(media, { location }) {
        const from = location.source.absoluteRef;
        if (media.example !== undefined) media.example = place(media.example, from);
        for (const example of Object.values(media.examples ?? {})) example.value = place(example.value, from);
      },
    },
  };
};
