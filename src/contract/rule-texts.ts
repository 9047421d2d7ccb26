import type { Json } from './runtime-document.js';

/**
 * Finds the `x-rule` text that belongs to an error: that of the schema which holds the failing keyword. ajv's schema
 * paths begin at a component or inside an inlined copy of one, so the text is looked up by the nearest named owner.
 */
export function ruleFinder(bundle: Json): (schemaPath: string) => string | null {
  return (schemaPath) => {
    const steps = schemaPath.replace(/^[^#]*#\//, '').split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const owner = steps.slice(0, -1).reduce<Json | undefined>((at, step) => child(at, step), bundle);
    const rule = child(owner, 'x-rule');
    return typeof rule === 'string' ? rule : null;
  };
}

function child(node: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(node)) return node[Number(key)];
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? node[key] : undefined;
}
