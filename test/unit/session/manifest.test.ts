import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UnusableFile } from '../../../src/foundation/faults.js';
import {
  manifestReader,
  readLaunchedManifest,
  readManifest,
  writeManifest,
} from '../../../src/session/manifest.js';
import { lacksHeadlessSection } from '../../../src/session/manifest-facts.js';
import { type LooseManifest, manifestUnderTest } from '../../support/manifest-under-test.js';

const under = manifestUnderTest();
const { raw, put } = under;

describe('reading a manifest', () => {
  it('takes what a launch wrote, and writes it the same way again', () => {
    const before = readFileSync(under.path, 'utf8');
    writeManifest(under.path, readManifest(under.path));
    expect(readFileSync(under.path, 'utf8')).toBe(before);
  });

  it.each<[string, (manifest: LooseManifest) => unknown, RegExp]>([
    ['an unknown key', (one) => ({ ...one, extra: 1 }), /field \/extra/],
    [
      'an unknown key inside',
      (one) => ({ ...one, runtime: { ...one.runtime, extra: 1 } }),
      /\/runtime\/extra/,
    ],
    ['another version', (one) => ({ ...one, schema_version: 3 }), /schema_version/],
    ['an unknown backend', (one) => ({ ...one, backend: 'abacus' }), /backend/],
    ['a blank name', (one) => ({ ...one, role_name: '  ' }), /role_name/],
    ['a missing field', ({ working_directory: _gone, ...one }) => one, /working_directory/],
    ['a contradiction', (one) => ({ ...one, tool: 'codex' }), /\/tool differs/],
    ['no name for the agent', (one) => ({ ...one, agent_name: null }), /\/agent_name is missing/],
    ['a list', () => [], /\(root\)|expected object/i],
  ])('refuses %s and names it', (_name, change, message) => {
    put(change(raw()));
    expect(() => readManifest(under.path)).toThrow(message);
    expect(() => readManifest(under.path)).toThrow(UnusableFile);
  });

  it('reads one that lost its headless section, but starts nothing with it', () => {
    put({ ...raw(), headless: null });
    expect(lacksHeadlessSection(readManifest(under.path))).toBe(true);
    expect(() => readLaunchedManifest(under.path)).toThrow(/\/headless is missing/);
    expect(() => readLaunchedManifest(under.path)).toThrow(UnusableFile);
  });

  it('refuses a file that is absent or no JSON', () => {
    expect(() => readManifest(`${under.path}.gone`)).toThrow(/does not exist/);
    writeFileSync(under.path, '{"schema_version": 4,');
    expect(() => readManifest(under.path)).toThrow(/not valid JSON/);
  });

  it('refuses to write what it would refuse to read', () => {
    const before = readFileSync(under.path, 'utf8');
    expect(() => writeManifest(under.path, { ...readManifest(under.path), tool: ' ' })).toThrow(UnusableFile);
    expect(readFileSync(under.path, 'utf8')).toBe(before);
  });
});

describe('a manifest that is read again and again', () => {
  it('is what it was while nobody changes it, and what it is as soon as somebody does', () => {
    const read = manifestReader(under.path);
    const first = read();
    expect(first).toEqual(readManifest(under.path));
    expect(read()).toBe(first);
    put({ ...raw(), role_name: 'another' });
    expect(read().role_name).toBe('another');
    put({ ...raw(), tool: 'codex' });
    for (const _again of [1, 2]) expect(read).toThrow(/\/tool differs/);
    put({ ...raw(), tool: first.tool, role_name: first.role_name });
    expect(read()).toEqual(first);
    rmSync(under.path);
    expect(read).toThrow(/does not exist/);
  });
});
