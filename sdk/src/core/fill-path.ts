/**
 * Puts the parameters into a path template, percent-encoded. Throws a TypeError for a parameter that is missing, unknown, or
 * would change the path: an empty one would name the collection, and every HTTP client resolves dots away.
 */
export function fillPath(template: string, parameters: Record<string, unknown>): string {
  const names = new Set<string>();
  const filled = template.replace(/\{([^{}]+)\}/g, (_placeholder, name: string) => {
    names.add(name);
    return encode(name, parameters[name]);
  });
  const unknown = Object.keys(parameters).find((name) => !names.has(name));
  if (unknown !== undefined) throw new TypeError(`${template} has no path parameter \`${unknown}\``);
  return filled;
}

function encode(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new TypeError(`path parameter \`${name}\` is missing`);
  }
  if (['', '.', '..'].includes(String(value))) {
    throw new TypeError(`path parameter \`${name}\` must not be ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}
