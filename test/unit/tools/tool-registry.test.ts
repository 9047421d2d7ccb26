import { describe, expect, it } from 'vitest';
import { adapterForBackend, toolAdapter, toolNames } from '../../../src/tools/tool-registry.js';

describe('registry', () => {
  it('finds each adapter by name and by backend', () => {
    for (const name of toolNames) {
      expect(toolAdapter(name).name).toBe(name);
      expect(adapterForBackend(`${name}_headless`)).toBe(toolAdapter(name));
    }
    expect(adapterForBackend('local_interactive')).toBeNull();
  });
});
