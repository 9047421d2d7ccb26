import { describe, expect, it } from 'vitest';
import { readLine } from '../../../src/tools/adapter/event-drafts.js';
import { pieceOf } from '../../../src/tools/adapter/row-facts.js';
import type { CanonicalDraft, SessionSelection } from '../../../src/tools/adapter/tool-adapter.js';
import { claudeAdapter } from '../../../src/tools/claude/claude-adapter.js';
import { type Finished, newWorld, runStandin, type StandinWorld } from './standin-process.js';

async function turn(
  world: StandinWorld,
  prompt: string,
  session: SessionSelection,
): Promise<[CanonicalDraft[], Finished]> {
  const { args, stdin } = claudeAdapter.command({
    launchArgs: claudeAdapter.unattendedArgs,
    prompt,
    role: '- be brief',
    session,
    model: { name: 'opus', reasoningLevel: 1 },
    turnDirectory: world.home,
  });
  const done = await runStandin({ world, args, prompt: stdin });
  const lines = done.stdout.toString('utf8').split('\n');
  return [lines.flatMap((line) => readLine(line, claudeAdapter)), done];
}

describe('the claude adapter drives the stand-in', () => {
  it('starts a conversation and goes on with it', async () => {
    const world = newWorld();
    const [first] = await turn(world, 'one', { mode: 'new' });
    const whole = first.filter((draft) => pieceOf(draft) === null);
    expect(whole.map(({ kind }) => kind)).toEqual(['progress', 'assistant', 'completion']);
    expect(first.flatMap((draft) => pieceOf(draft) ?? []).join('')).toBe(whole[1]?.message);
    const taken = first[0] && claudeAdapter.promptTaken(first[0]);
    const id = /^system\/init row of session (\S+)$/.exec(taken ?? '')?.[1] ?? '';
    const [second] = await turn(world, 'two', { mode: 'exact', id });
    expect(second.at(-1)?.message).toBe('You said: two (turn 2 of this conversation)');
    const [third] = await turn(world, 'three', { mode: 'tool_last_or_new' });
    expect(third.at(-1)?.message).toBe('You said: three (turn 3 of this conversation)');
  });

  it('sees failures for what they are', async () => {
    const [failed] = await turn(newWorld(), 'x [[fail=429]]', { mode: 'new' });
    expect(failed.at(-1)).toMatchObject({
      kind: 'completion',
      data: { status: 'error', api_error_status: 429 },
    });
    const [lost, done] = await turn(newWorld(), 'x', { mode: 'exact', id: '-gone' });
    const signs = { lastError: lost.at(-1)?.message ?? null, stderrTail: '', exitCode: done.code };
    expect(claudeAdapter.sessionLost(signs)).toBe(true);
    expect(claudeAdapter.sessionLost({ ...signs, lastError: null, stderrTail: done.stderr })).toBe(true);
  });

  it('keeps reading through garbage', async () => {
    const [drafts] = await turn(newWorld(), 'x [[garbage]]', { mode: 'new' });
    const strange = drafts
      .filter(({ kind }) => kind === 'diagnostic')
      .map((draft) => draft.provider_event_type);
    expect(strange).toEqual([...Array(3).fill('raw_text'), ...Array(4).fill('non_mapping')]);
    expect(drafts.at(-1)).toMatchObject({ kind: 'completion', data: { status: 'success' } });
  });
});
