import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UnusableFile } from '../../../src/session/file-schema.js';
import {
  attachIdentityOf,
  lacksHeadlessSection,
  type Manifest,
  patchTurnPins,
  readLaunchedManifest,
  readManifest,
  turnHostOf,
  writeManifest,
} from '../../../src/session/manifest.js';
import { makeSession, type TestSession } from '../../support/test-session.js';

let session: TestSession;
let path: string;
type Loose = Record<string, Record<string, unknown>>;
const raw = (): Loose => JSON.parse(readFileSync(path, 'utf8')) as Loose;
const put = (value: unknown): void => writeFileSync(path, JSON.stringify(value));

beforeAll(async () => {
  session = await makeSession();
  path = join(session.folder, 'manifest-under-test.json');
});
beforeEach(() => copyFileSync(session.paths.manifest, path));
afterAll(() => session.remove());

describe('reading a manifest', () => {
  it('takes what a launch wrote, and writes it the same way again', () => {
    const before = readFileSync(path, 'utf8');
    writeManifest(path, readManifest(path));
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each<[string, (manifest: Loose) => unknown, RegExp]>([
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
    expect(() => readManifest(path)).toThrow(message);
    expect(() => readManifest(path)).toThrow(UnusableFile);
  });

  it('reads one that lost its headless section, but starts nothing with it', () => {
    put({ ...raw(), headless: null });
    expect(lacksHeadlessSection(readManifest(path))).toBe(true);
    expect(() => readLaunchedManifest(path)).toThrow(/\/headless is missing/);
    expect(() => readLaunchedManifest(path)).toThrow(UnusableFile);
  });

  it('refuses a file that is absent or no JSON', () => {
    expect(() => readManifest(`${path}.gone`)).toThrow(/does not exist/);
    writeFileSync(path, '{"schema_version": 4,');
    expect(() => readManifest(path)).toThrow(/not valid JSON/);
  });

  it('refuses to write what it would refuse to read', () => {
    const before = readFileSync(path, 'utf8');
    expect(() => writeManifest(path, { ...readManifest(path), tool: ' ' })).toThrow(UnusableFile);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
});

describe('what a turn writes back (decision 48)', () => {
  it('changes its own keys and their mirrors, and nothing else', () => {
    const before = raw();
    before.backend_state = { ...before.backend_state, of_somebody_else: { deep: [1, 'ü'] } };
    before.headless = { ...before.headless, turn_index: 4 };
    before.interactive = { turn_index: 4, terminal_id: 't' };
    put(before);
    patchTurnPins(path, { sessionId: 'conversation', turnIndex: 5 });
    expect(raw()).toEqual({
      ...before,
      headless: { ...before.headless, session_id: 'conversation', turn_index: 5 },
      backend_state: { ...before.backend_state, session_id: 'conversation', turn_index: 5 },
      interactive: { turn_index: 5, terminal_id: 't' },
    });
    patchTurnPins(path, { sessionId: null, turnIndex: 5 });
    expect(readManifest(path).headless?.session_id).toBeNull();
  });

  it.each([
    ['no JSON', '{ half a file'],
    ['of another version', '{"schema_version": 5, "headless": {}}'],
  ])('leaves a file alone that is %s', (_name, text) => {
    writeFileSync(path, text);
    expect(() => patchTurnPins(path, { sessionId: 'x', turnIndex: 1 })).toThrow(UnusableFile);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('what a manifest says', () => {
  it('names the session by the first name there is (gateway §3.2)', () => {
    const names = { agent_id: 'id', agent_name: 'name', tmux_session_name: 'tmux' };
    const of = (part: object): string => attachIdentityOf({ runtime: {}, ...part } as Manifest, 'folder');
    expect(of({ ...names, runtime: { session_id: 'session' } })).toBe('session');
    expect(of(names)).toBe('id');
    expect(of({ ...names, agent_id: null })).toBe('name');
    expect(of({ tmux_session_name: 'tmux' })).toBe('tmux');
    expect(of({})).toBe('folder');
  });

  it('runs turns in tmux unless it says otherwise (decision 46)', () => {
    const of = (backend_state: object): string => turnHostOf({ backend_state } as Manifest);
    expect([of({}), of({ turn_host: 'process' }), of({ turn_host: 'x' })]).toEqual([
      'tmux',
      'process',
      'tmux',
    ]);
  });
});
