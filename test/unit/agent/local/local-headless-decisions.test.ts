import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LocalHeadlessTarget, mergeModel } from '../../../../src/agent/local/local-headless.js';
import { chatDefaultsOf } from '../../../../src/agent/target/chat-session.js';
import { systemClock } from '../../../../src/foundation/clock.js';
import { identify } from '../../../../src/foundation/processes.js';
import type { LaunchRequest } from '../../../../src/launch/launch-request.js';
import { readManifest } from '../../../../src/session/manifest.js';
import type { Manifest } from '../../../../src/session/manifest-schema.js';
import { Tmux } from '../../../../src/terminal/tmux.js';
import { toolAdapter } from '../../../../src/tools/tool-registry.js';
import { editManifest } from '../../../contract/support/edit-manifest.js';
import { ownTmux } from '../../../support/own-tmux.js';
import { plainOptions, resolved } from '../../../support/plain-turn.js';
import { makeSession, type TestSession } from '../../../support/test-session.js';
import { agentScript } from '../../../support/turn-job.js';

const mine = ownTmux();
let session: TestSession;
let target: LocalHeadlessTarget;
/** A session whose agent is there and is never started. */
async function launch(request: Partial<LaunchRequest> & { host?: NodeJS.ProcessEnv } = {}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-local-'));
  session = await makeSession({ folder, executable: agentScript(folder, ''), ...request });
  target = open(mine.tmux);
}
const open = (tmux: Tmux) =>
  new LocalHeadlessTarget(session.paths, toolAdapter('claude'), {
    clock: systemClock,
    environment: process.env,
    tmux,
  });
beforeEach(() => launch());
afterEach(() => session.remove());

const none = { override: null };
const pins = () => {
  const { session_id, turn_index } = readManifest(session.paths.manifest).headless ?? {};
  return { session_id, turn_index };
};
const headless = (given: object): Manifest => {
  const manifest = readManifest(session.paths.manifest);
  return { ...manifest, headless: manifest.headless ? { ...manifest.headless, ...given } : null };
};

describe('the conversation that prompts continue', () => {
  test.each([
    ['a new one', {}, { mode: 'new' }],
    ['the last one', { resume_selection_kind: 'last' }, { mode: 'tool_last_or_new' }],
    [
      'a certain one',
      { resume_selection_kind: 'exact', resume_selection_value: 'c' },
      { mode: 'exact', id: 'c' },
    ],
    ['a certain one that it does not name', { resume_selection_kind: 'exact' }, { mode: 'new' }],
  ])('begins as the launch said: %s', (_which, given, startup) => {
    expect(chatDefaultsOf(headless({ session_id: 'pinned', ...given }))).toEqual({
      pinned: 'pinned',
      startup,
    });
  });
  test('of an agent without a headless section is a new one', () => {
    expect(chatDefaultsOf({ ...headless({}), headless: null })).toEqual({
      pinned: null,
      startup: { mode: 'new' },
    });
  });
});

describe('the model of a turn', () => {
  const launched = { name: 'sonnet', reasoningLevel: 2 };
  test.each([
    ['nothing', null, launched],
    ['a name', { model: { name: ' opus ' } }, { name: 'opus', reasoningLevel: 2 }],
    ['an empty name', { model: { name: ' ' } }, launched],
    ['a level', { model: { reasoning: { level: 0 } } }, { name: 'sonnet', reasoningLevel: 0 }],
    ['neither', { model: { name: null, reasoning: null } }, launched],
  ])('is that of the launch, but for what the request names: %s', (_what, execution, model) => {
    expect(mergeModel(execution, launched)).toEqual(model);
  });
  test('and its time limit are those of launch and manifest', async () => {
    session.remove();
    await launch({ model: 'opus', reasoningLevel: 2, turnTimeLimitSeconds: 90 });
    expect(resolved(target.resolve(plainOptions, none))).toMatchObject({
      model: { name: 'opus', reasoningLevel: 2 },
      timeLimitSeconds: 90,
    });
  });
  test('is checked early by the level that the request names, and by nothing else', () => {
    const level = (name: string | null, reasoning: number | null) =>
      target.check({
        chatSession: null,
        execution: { model: { name, reasoning: reasoning === null ? null : { level: reasoning } } },
      });
    expect(target.check(plainOptions)).toBeNull();
    expect([level(null, null), level(' opus ', 1)]).toEqual([null, null]);
    expect(level('opus', 0)).toMatchObject({ code: 'invalid_execution' });
  });
});

describe('an agent in a tmux session', () => {
  beforeEach(async () => {
    session.remove();
    await launch({ tmux: true, host: mine.tmux.environment });
  });
  const nameOf = () => readManifest(session.paths.manifest).tmux_session_name ?? '';

  test('cannot be reached without the session, and says which', async () => {
    await mine.tmux.killSession(nameOf());
    expect(await target.inspect()).toMatchObject({
      connected: false,
      detail: expect.stringContaining(nameOf()),
    });
  });
  test('can be reached with it, and keeps its identity over launches', async () => {
    const { instanceId, connected } = await target.inspect();
    editManifest(session.paths, (manifest) => {
      manifest.registry_generation_id = 'another launch';
    });
    expect([connected, (await target.inspect()).instanceId]).toEqual([true, instanceId]);
  });
  test('is not called gone where tmux cannot be asked: the reason is reported', async () => {
    const mute = open(new Tmux({ environment: { PATH: session.folder } }));
    expect(await mute.inspect()).toMatchObject({
      connected: false,
      detail: expect.stringMatching(/^The tmux session \S+ could not be looked up: .+\.$/),
    });
  });
});

test('an agent that runs by itself is a new one with each launch', async () => {
  const before = (await target.inspect()).instanceId;
  editManifest(session.paths, (manifest) => {
    manifest.registry_generation_id = 'another launch';
  });
  expect(before).not.toBe('another launch');
  expect((await target.inspect()).instanceId).toBe('another launch');
});

test('outside its turns nothing of it runs that could be interrupted', async () => {
  expect(await target.interrupt()).toEqual({ outcome: 'no_op' });
});

describe('what a turn taught', () => {
  const turn = (sessionId: string | null) => ({ sessionId, sessionLost: false, completed: true });
  const lock = () => `${session.paths.manifest}.lock`;
  /** Another program is at the manifest, for longer than anybody waits. */
  const hold = () => writeFileSync(lock(), JSON.stringify(identify(process.pid)));

  test('is owed while the manifest cannot be written, and added to by the next turn', () => {
    hold();
    expect(() => target.settle(turn('s1'))).toThrow('is held by');
    expect(() => target.settle(turn('s2'))).toThrow('is held by');
    expect(pins()).toMatchObject({ session_id: null });
    rmSync(lock());
    target.resolve(plainOptions, none);
    expect(pins()).toEqual({ session_id: 's2', turn_index: 2 });
  });
  test('is paid once: what others write later stays', () => {
    hold();
    expect(() => target.settle(turn('s1'))).toThrow('is held by');
    rmSync(lock());
    target.resolve(plainOptions, none);
    editManifest(session.paths, (manifest) => {
      manifest.headless.session_id = 'by hand';
    });
    expect(resolved(target.resolve(plainOptions, none)).session).toEqual({ mode: 'exact', id: 'by hand' });
  });
  test('that is known already is not written again', () => {
    target.settle(turn('s1'));
    hold();
    target.settle({ sessionId: 's1', sessionLost: false, completed: false });
    expect(pins()).toEqual({ session_id: 's1', turn_index: 1 });
    rmSync(lock());
  });
  test('keeps the next prompt back until it is written: it would continue the wrong conversation', () => {
    hold();
    expect(() => target.settle(turn('s1'))).toThrow('is held by');
    expect(() => target.resolve(plainOptions, none)).toThrow('is held by');
    rmSync(lock());
    expect(resolved(target.resolve(plainOptions, none)).session).toEqual({ mode: 'exact', id: 's1' });
  });
});
