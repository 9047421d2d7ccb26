/** @typedef {{ place: string, was: string, is: string }} OpennessChange */

/**
 * Objects that take or give more fields than before, or fewer. oasdiff never reports that as breaking, but a closed
 * object that opens breaks callers that refuse unknown fields, and an open one that closes breaks those that send some.
 * @param {unknown} before a bundled contract
 * @param {unknown} after the same, later
 * @returns {OpennessChange[]} only places that both have
 */
export function opennessChanges(before, after) {
  const [was, is] = [opennessOf(before), opennessOf(after)];
  return [...was]
    .filter(([place, openness]) => is.has(place) && is.get(place) !== openness)
    .map(([place, openness]) => ({ place, was: openness, is: /** @type {string} */ (is.get(place)) }));
}

/** Every object schema by its place in the document. */
function opennessOf(document) {
  const found = new Map();
  const walk = (node, place) => {
    if (node === null || typeof node !== 'object') return;
    if (isObjectSchema(node)) found.set(place, wordFor(node.additionalProperties));
    // An example is no rule.
    for (const [key, value] of Object.entries(node))
      if (key !== 'example' && key !== 'examples' && key !== 'default') walk(value, `${place}/${key}`);
  };
  walk(document, '#');
  return found;
}

const isObjectSchema = (node) =>
  node.type === 'object' || (Array.isArray(node.type) && node.type.includes('object'));

function wordFor(additional) {
  if (additional === false) return 'closed';
  return additional === undefined || additional === true ? 'open' : `open to ${JSON.stringify(additional)}`;
}
