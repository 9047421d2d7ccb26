// Two surfaces have many schemas in common. The packed SDK has the types of each of them once: the second surface's names refer to the
// first one's.

const reference = /components\["schemas"\]\["(\w+)"\]/g;

/** The schemas in the types of a surface. Each entry has its comment and its text, as openapi-typescript writes them. */
function schemasIn(text) {
  const from = text.indexOf('    schemas: {\n') + '    schemas: {\n'.length;
  const to = text.indexOf('\n    };\n', from) + 1;
  const entries = new Map();
  let [entry, name, isOpen] = ['', null, false];
  for (const line of text.slice(from, to).split('\n').slice(0, -1)) {
    entry += `${line}\n`;
    const named = isOpen ? null : /^ {8}(\w+): /.exec(line);
    if (named) [name, isOpen] = [named[1], true];
    if (!isOpen || !(named ? line.endsWith(';') : /^ {8}\S.*;$/.test(line))) continue;
    entries.set(name, entry);
    [entry, name, isOpen] = ['', null, false];
  }
  return { from, to, entries };
}

/**
 * @param {string} text the types of a surface
 * @param {string} base those of the surface that it shares schemas with
 * @param {string} path where the base is, for an import
 */
export function sharingSchemas(text, base, path) {
  const own = schemasIn(text);
  const others = schemasIn(base).entries;
  const shared = new Set(
    [...own.entries].filter(([name, entry]) => others.get(name) === entry).map(([name]) => name),
  );
  // A schema that refers to one of its own surface is its own, too.
  for (let before = -1; before !== shared.size; ) {
    before = shared.size;
    for (const name of shared)
      if ([...own.entries.get(name).matchAll(reference)].some(([, used]) => !shared.has(used)))
        shared.delete(name);
  }
  const entries = [...own.entries].map(([name, entry]) =>
    shared.has(name) ? `        ${name}: shared["schemas"]["${name}"];\n` : entry,
  );
  const head = `import type { components as shared } from '${path}';\n`;
  return head + text.slice(0, own.from) + entries.join('') + text.slice(own.to);
}
