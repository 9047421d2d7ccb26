import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LocalHeadlessTarget } from '../../../../src/agent/local/local-headless.js';
import type { PromptSettings } from '../../../../src/agent/target/agent-target.js';
import { systemClock } from '../../../../src/foundation/clock.js';
import { newTurnId } from '../../../../src/foundation/ids.js';
import { interruptLadder } from '../../../../src/run/running-turn.js';
import { readManifest } from '../../../../src/session/manifest.js';
import { Tmux } from '../../../../src/terminal/tmux.js';
import { toolAdapter } from '../../../../src/tools/tool-registry.js';
import { editManifest } from '../../../contract/support/edit-manifest.js';
import { eventually, heldAgent, takenPrompts } from '../../../e2e/recovery/evidence.js';
import { plainOptions, resolved, turnNotes } from '../../../support/plain-turn.js';
import { makeSession, type TestSession } from '../../../support/test-session.js';
import { agentScript } from '../../../support/turn-job.js';

let session: TestSession;
let target: LocalHeadlessTarget;
const open = (): LocalHeadlessTarget =>
  new LocalHeadlessTarget(session.paths, toolAdapter('claude'), {
    clock: systemClock,
    environment: process.env,
    tmux: new Tmux({ environment: process.env }),
  });
/** Processes are looked for by it on the whole machine, where other tests run too. */
let turnId: string;
beforeEach(async () => {
  turnId = newTurnId();
  session = await makeSession();
  target = open();
});
afterEach(() => session.remove());

const none = { override: null };
const pins = () => {
  const { session_id, turn_index } = readManifest(session.paths.manifest).headless ?? {};
  return { session_id, turn_index };
};
const asking = (chatSession: PromptSettings['chatSession']): PromptSettings => ({
  ...plainOptions,
  chatSession,
});
const level = (reasoning: number): PromptSettings => ({
  ...plainOptions,
  execution: { model: { reasoning: { level: reasoning } } },
});

describe('how the agent is', () => {
  test('it can be reached where its folder and program are, under the name of its launch', async () => {
    const { registry_generation_id } = readManifest(session.paths.manifest);
    expect(await target.inspect()).toEqual({
      connected: true,
      surface: 'ready',
      reasons: [],
      acceptsPrompts: true,
      detail: null,
      instanceId: registry_generation_id,
    });
  });

  test.each([
    [
      'its program',
      (paths: TestSession['paths']) =>
        editManifest(paths, (manifest) =>
          Object.assign(manifest.launch_plan, { executable: '/nowhere/agent' }),
        ),
      'The program agent was not found.',
    ],
    [
      'its folder',
      (paths: TestSession['paths']) =>
        editManifest(paths, (manifest) => Object.assign(manifest, { working_directory: '/nowhere' })),
      'The working directory of the agent does not exist.',
    ],
    [
      'its manifest',
      (paths: TestSession['paths']) => rmSync(paths.manifest),
      /^The session cannot be read: /,
    ],
  ])('without %s it cannot, and says why', async (_what, take, detail) => {
    take(session.paths);
    expect(await target.inspect()).toMatchObject({ connected: false, detail: expect.stringMatching(detail) });
  });
});

describe('how a turn will run', () => {
  test('is read from manifest and settings as they are then: a change before the start tears nothing', async () => {
    const turn = resolved(target.resolve(plainOptions, none));
    const brain = readManifest(session.paths.manifest).brain_manifest_path;
    writeFileSync(session.paths.manifest, '{ half a');
    rmSync(brain, { force: true });
    const signs = await turn.start({ turnId, prompt: 'as resolved' }, turnNotes()).ended;
    expect(signs).toMatchObject({ exitCode: 0, completion: { successful: true } });
    // The environment of the launch is that of the launch, too.
    expect(takenPrompts(session.ledger)).toMatchObject([{ prompt: 'as resolved', turn_id: turnId }]);
  });

  test('the manifest of another agent that came in between does not mix with it', async () => {
    const turn = resolved(target.resolve(plainOptions, none));
    editManifest(session.paths, (manifest) => {
      manifest.launch_plan.executable = '/nowhere/agent';
      manifest.working_directory = '/nowhere';
    });
    const signs = await turn.start({ turnId, prompt: 'x' }, turnNotes()).ended;
    expect(signs).toMatchObject({ startFault: null, exitCode: 0 });
  });

  test.each([
    ['no pinned conversation', asking({ mode: 'current' }), 'missing_current_chat_session'],
    ['no id', asking({ mode: 'exact' }), 'invalid_chat_session'],
    ['a level that the ladder has not', level(0), 'invalid_execution'],
  ])('%s is refused by name', (_what, options, code) => {
    expect(target.resolve(options, none)).toMatchObject({ code });
  });

  test('without a headless section, or with a manifest that cannot be read, it is refused', () => {
    editManifest(session.paths, (manifest) => {
      manifest.headless = null;
    });
    expect(target.resolve(plainOptions, none)).toMatchObject({ code: 'dispatch_failed' });
    writeFileSync(session.paths.manifest, '[]');
    expect(target.resolve(plainOptions, none)).toMatchObject({ code: 'unavailable' });
  });

  test('the override makes a fresh conversation of one that asks for none', () => {
    target.settle({ sessionId: 's1', sessionLost: false, completed: true });
    expect(target.resolve(plainOptions, none)).toMatchObject({ session: { mode: 'exact', id: 's1' } });
    expect(target.resolve(plainOptions, { override: { mode: 'new' } })).toMatchObject({
      session: { mode: 'new' },
    });
  });

  test('what does not change while a prompt waits is checked before', () => {
    expect(target.check(plainOptions)).toBeNull();
    expect(target.check(level(2))).toBeNull();
    expect(target.check(level(0))).toMatchObject({ code: 'invalid_execution' });
  });
});

describe('what a turn taught', () => {
  test('is pinned: the conversation it had, and that it was completed', () => {
    target.settle({ sessionId: 's1', sessionLost: false, completed: true });
    expect(pins()).toEqual({ session_id: 's1', turn_index: 1 });
    target.settle({ sessionId: null, sessionLost: false, completed: false });
    expect(pins()).toEqual({ session_id: 's1', turn_index: 1 });
    target.settle({ sessionId: 's1', sessionLost: true, completed: false });
    expect(pins()).toEqual({ session_id: null, turn_index: 1 });
  });
});

describe('what a turn taught while its manifest was spoilt', () => {
  const spoilt = '{ half a file';
  const whileSpoilt = (settle: () => void): void => {
    const sound = readFileSync(session.paths.manifest);
    writeFileSync(session.paths.manifest, spoilt);
    expect(settle).toThrow(/manifest\.json: is not valid JSON; restore it/);
    expect(readFileSync(session.paths.manifest, 'utf8')).toBe(spoilt);
    expect(target.resolve(plainOptions, none)).toMatchObject({ code: 'unavailable' });
    writeFileSync(session.paths.manifest, sound);
  };

  test('is pinned before the next turn, and that one continues the conversation', () => {
    whileSpoilt(() => target.settle({ sessionId: 's1', sessionLost: false, completed: true }));
    expect(target.resolve(plainOptions, none)).toMatchObject({ session: { mode: 'exact', id: 's1' } });
    expect(pins()).toEqual({ session_id: 's1', turn_index: 1 });
    // Once.
    expect(target.resolve(plainOptions, none)).toMatchObject({ session: { mode: 'exact', id: 's1' } });
    expect(pins()).toEqual({ session_id: 's1', turn_index: 1 });
  });

  test('a conversation that was lost meanwhile is not pinned any more', () => {
    target.settle({ sessionId: 's1', sessionLost: false, completed: true });
    whileSpoilt(() => target.settle({ sessionId: 's1', sessionLost: true, completed: false }));
    expect(target.resolve(plainOptions, none)).toMatchObject({ session: { mode: 'new' } });
    expect(pins()).toEqual({ session_id: null, turn_index: 1 });
  });
});

describe('a turn that another process started', () => {
  test('is followed to its end, without being handed over again', async () => {
    const first = resolved(target.resolve(plainOptions, none)).start(
      { turnId, prompt: '[[slow=300]] once' },
      turnNotes(),
    );
    const goOn = await heldAgent(session.ledger, 'once');
    first.leave();
    expect(await first.ended).toBeNull();
    const notes = turnNotes();
    const adopted = open().adopt(
      { turnId, processes: [], delivered: false, pasted: null, stopping: false },
      notes,
    );
    await eventually('runner and agent', () => notes.spawnedPids.length === 2);
    goOn();
    const signs = await adopted.ended;
    expect(signs).toMatchObject({ exitCode: 0, answer: { text: expect.stringContaining('You said: once') } });
    expect(notes.confirmedBy).not.toEqual([]);
    expect(takenPrompts(session.ledger)).toHaveLength(1);
  });

  test('and that never began is known not to have begun', async () => {
    expect(
      await target.adopt(
        { turnId, processes: [], delivered: false, pasted: null, stopping: false },
        turnNotes(),
      ).ended,
    ).toMatchObject({
      startFault: { detail: expect.stringContaining('its runner ended before it had started the agent') },
      outcomeUnknown: null,
    });
  });

  test('can be interrupted', async () => {
    const first = resolved(target.resolve(plainOptions, none)).start(
      { turnId, prompt: '[[slow=60000]] long' },
      turnNotes(),
    );
    await eventually('the agent at work', () => takenPrompts(session.ledger).length === 1);
    first.leave();
    const adopted = open().adopt(
      { turnId, processes: [], delivered: false, pasted: null, stopping: false },
      turnNotes(),
    );
    expect(await adopted.stop(interruptLadder, false)).toEqual({ outcome: 'stopped', signal: 'SIGINT' });
    expect(await adopted.ended).toMatchObject({ supervisorLost: false });
  });

  test('repeats no words of an agent whose secrets are not known any more', async () => {
    const folder = session.folder;
    const executable = agentScript(folder, "console.error('key ' + process.env.API_KEY); process.exit(1);");
    const environment = { PATH: process.env.PATH ?? '', HOME: folder, API_KEY: 'correct-horse-battery' };
    session = await makeSession({ folder, executable, environment });
    target = open();
    const signs = await resolved(target.resolve(plainOptions, none)).start(
      { turnId, prompt: 'x' },
      turnNotes(),
    ).ended;
    expect(signs).toMatchObject({ exitCode: 1, stderrTail: 'key [redacted]\n' });
    expect(
      (
        await open().adopt(
          { turnId, processes: [], delivered: false, pasted: null, stopping: false },
          turnNotes(),
        ).ended
      )?.stderrTail,
    ).toBe('key [redacted]\n');
    // The file that names it is gone.
    rmSync(join(session.paths.root, 'agent.env'));
    expect(
      (
        await open().adopt(
          { turnId, processes: [], delivered: false, pasted: null, stopping: false },
          turnNotes(),
        ).ended
      )?.stderrTail,
    ).toBe('');
  });
});
