import { describe, expect, test } from 'vitest';
import { apiFailure } from '../../../../standin/src/api-failures.js';
import { Transcript } from '../../../../standin/src/tui/transcript.js';
import real from '../../../fixtures/standin-tui/claude-rows.json' with { type: 'json' };

// biome-ignore lint/suspicious/noExplicitAny: rows are read at will in assertions
type AnyRow = Record<string, any>;

const context = { sessionId: 'id', cwd: '/work/project', model: 'm', skipPermissions: false };
const fresh = () => new Transcript(context, { lastUuid: null, prompts: 0 });
const keys = (row: AnyRow | undefined) => Object.keys(row ?? {}).sort();
const tool = { name: 'Bash', input: { command: 'ls' } };

/** The row of the conversation itself, without those around it. */
function made(kind: keyof typeof real, transcript = fresh()): AnyRow | undefined {
  const rows: Partial<Record<keyof typeof real, () => AnyRow[]>> = {
    prompt: () => transcript.prompt('x', 'typed'),
    answer: () => transcript.answer('msg', 'text', { input: 1, output: 1 }),
    turnEnd: () => transcript.turnEnd(12),
    apiError: () => transcript.apiError(apiFailure(401)),
    partial: () => transcript.interrupted('msg', 'text').slice(0, 1),
    interrupted: () => transcript.interrupted('msg', null),
    toolCall: () => transcript.toolCall(tool, 'toolu_1'),
    toolAllowed: () => transcript.toolResult('toolu_1', 'out', true),
    toolDenied: () => transcript.toolDenied('toolu_1').slice(0, 1),
    enqueue: () => transcript.enqueued('x'),
    dequeue: () => transcript.dequeued(),
    popAll: () => transcript.popped('x'),
    remove: () => transcript.absorbed('x').slice(0, 1),
    queuedCommand: () => transcript.absorbed('x'),
    unknownCommand: () => transcript.unknownCommand('x'),
  };
  return rows[kind]?.().at(-1);
}

const kinds = Object.keys(real).filter((kind) => !/^(record|history)/.test(kind)) as (keyof typeof real)[];

describe('rows of a transcript have the fields of the real ones', () => {
  test.each(kinds)('%s', (kind) => {
    const [ours, theirs] = [made(kind), real[kind] as AnyRow];
    expect(keys(ours)).toEqual(keys(theirs));
    expect(keys(ours?.message)).toEqual(keys(theirs.message));
    expect(keys(ours?.attachment)).toEqual(keys(theirs.attachment).filter((key) => key !== 'timestamp'));
    for (const field of ['type', 'subtype', 'operation', 'reason', 'isMeta', 'level', 'origin', 'userType'])
      expect(ours?.[field]).toEqual(theirs[field]);
    expect(ours?.message?.role).toBe(theirs.message?.role);
    expect(ours?.message?.stop_reason).toBe(theirs.message?.stop_reason);
    if (kind === 'answer') expect(keys(ours?.message.usage)).toEqual(keys(theirs.message.usage));
  });
});

describe('the chain of a transcript', () => {
  test('leads from each row to the one before, from an earlier conversation on', () => {
    const transcript = new Transcript(context, { lastUuid: 'last', prompts: 4 });
    const rows = [
      ...transcript.prompt('x', 'queued'),
      ...transcript.enqueued('y'),
      ...transcript.toolCall(tool, 'toolu_1'),
      ...transcript.toolResult('toolu_1', '', false),
      ...transcript.answer('msg', 'text', { input: 1, output: 1 }),
      ...transcript.turnEnd(1),
    ].filter(({ uuid }) => uuid !== undefined);
    expect(rows.map(({ parentUuid }) => parentUuid)).toEqual([
      'last',
      ...rows.slice(0, -1).map(({ uuid }) => uuid),
    ]);
    expect(rows[0]).toMatchObject({ promptSource: 'queued', turnPosition: { promptIndex: 5, turnIndex: 5 } });
    expect(transcript.prompts).toBe(5);
  });

  test('gives the place of a withdrawn prompt to the next one', () => {
    const transcript = fresh();
    transcript.prompt('one', 'typed');
    const answer = transcript.answer('msg', 'text', { input: 1, output: 1 }).at(-1);
    const withdrawn = transcript.prompt('two', 'typed').at(-1);
    transcript.withdraw();
    const next = transcript.prompt('three', 'typed').at(-1);
    expect([withdrawn?.parentUuid, next?.parentUuid]).toEqual([answer?.uuid, answer?.uuid]);
    expect(next?.turnPosition).toEqual({ promptIndex: 2, turnIndex: 2 });
  });
});
