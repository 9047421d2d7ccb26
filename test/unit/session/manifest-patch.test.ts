import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UnusableFile } from '../../../src/foundation/faults.js';
import { patchManifest, patchTurnPins, readManifest } from '../../../src/session/manifest.js';
import { manifestUnderTest } from '../../support/manifest-under-test.js';

const under = manifestUnderTest();
const { raw, put } = under;

describe('what a turn writes back', () => {
  it('changes its own keys and their mirrors, and nothing else', () => {
    const before = raw();
    before.backend_state = { ...before.backend_state, of_somebody_else: { deep: [1, 'ü'] } };
    before.headless = { ...before.headless, turn_index: 4 };
    before.interactive = { turn_index: 4, terminal_id: 't' };
    put(before);
    patchTurnPins(under.path, { conversation: { id: 'conversation' }, completedTurns: 1 });
    expect(raw()).toEqual({
      ...before,
      headless: { ...before.headless, session_id: 'conversation', turn_index: 5 },
      backend_state: { ...before.backend_state, session_id: 'conversation', turn_index: 5 },
      interactive: { turn_index: 5, terminal_id: 't' },
    });
    patchTurnPins(under.path, { conversation: null, completedTurns: 0 });
    expect(readManifest(under.path).headless).toMatchObject({ session_id: 'conversation', turn_index: 5 });
    patchTurnPins(under.path, { conversation: { id: null }, completedTurns: 0 });
    expect(readManifest(under.path).headless).toMatchObject({ session_id: null, turn_index: 5 });
  });

  it.each([
    ['no JSON', '{ half a file'],
    ['of another version', '{"schema_version": 5, "headless": {}}'],
  ])('leaves a file alone that is %s', (_name, text) => {
    writeFileSync(under.path, text);
    expect(() => patchTurnPins(under.path, { conversation: { id: 'x' }, completedTurns: 1 })).toThrow(
      UnusableFile,
    );
    expect(readFileSync(under.path, 'utf8')).toBe(text);
  });
});

describe('a change of the manifest', () => {
  it('is not written when it would break the rules, and leaves nothing beside the file', () => {
    const before = readFileSync(under.path, 'utf8');
    const toNonsense = (): void =>
      patchManifest(under.path, (manifest) => {
        manifest.tool = 'abacus';
      });
    expect(toNonsense).toThrow(UnusableFile);
    expect(readFileSync(under.path, 'utf8')).toBe(before);
    patchTurnPins(under.path, { conversation: { id: 'x' }, completedTurns: 1 });
    const beside = readdirSync(dirname(under.path)).filter((name) =>
      name.startsWith(`${basename(under.path)}.`),
    );
    expect(beside).toEqual([]);
  });

  it('takes in what somebody who knows no lock has written meanwhile', () => {
    let rounds = 0;
    patchManifest(under.path, (manifest) => {
      rounds += 1;
      if (rounds === 1) put({ ...raw(), role_name: 'written meanwhile' });
      manifest.working_directory = '/patched';
    });
    expect(raw()).toMatchObject({ role_name: 'written meanwhile', working_directory: '/patched' });
    expect(rounds).toBe(2);
  });

  it('gives up after a hundred rounds, and says so', () => {
    let rounds = 0;
    const against = (): void =>
      patchManifest(under.path, () => {
        rounds += 1;
        put({ ...raw(), role_name: `round ${rounds}` });
      });
    expect(against).toThrow(/other programs changed it 100 times/);
    expect(raw().role_name).toBe('round 100');
  });

  it('of two processes at once: every one of each is in the file', async () => {
    const module = new URL('../../../dist/src/session/manifest.js', import.meta.url).href;
    const script = (key: string): string => `
      import { patchManifest } from ${JSON.stringify(module)};
      for (let n = 0; n < 150; n += 1)
        patchManifest(${JSON.stringify(under.path)}, ({ backend_state }) => {
          backend_state.${key} = (backend_state.${key} ?? 0) + 1;
        });`;
    const ended = await Promise.all(
      ['one', 'other'].map((key) =>
        once(
          spawn(process.execPath, ['--input-type=module', '-e', script(key)], {
            cwd: fileURLToPath(new URL('../../..', import.meta.url)),
            stdio: 'inherit',
          }),
          'exit',
        ),
      ),
    );
    expect(ended.map(([code]) => code)).toEqual([0, 0]);
    expect(raw().backend_state).toMatchObject({ one: 150, other: 150 });
  });
});
