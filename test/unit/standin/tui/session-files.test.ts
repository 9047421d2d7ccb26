import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findConversation, latestConversation } from '../../../../standin/src/tui/conversations.js';
import { SessionFiles } from '../../../../standin/src/tui/session-files.js';
import type { SessionFileFault } from '../../../../standin/src/tui/switches.js';
import { Transcript } from '../../../../standin/src/tui/transcript.js';
import real from '../../../fixtures/standin-tui/claude-rows.json' with { type: 'json' };
import { temporaryFolder } from '../../../support/temporary-folder.js';

const cwd = '/work/pröjekt 漢/a.b';

function made(fault: SessionFileFault = { kind: 'none' }, home = temporaryFolder(), sessionId = 'one') {
  const files = new SessionFiles(home, { pid: 4242, sessionId, cwd, name: 'a long name of it' }, fault);
  const path = join(home, 'sessions', '4242.json');
  const record = () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null);
  return { files, home, record };
}

describe('the session file', () => {
  test('has no status at first, then each, and is gone at the end', () => {
    const { files, record } = made();
    expect(record()).toBeNull();
    files.publish();
    expect(record()).toEqual({ pid: 4242, sessionId: 'one', cwd, name: 'a long name of it' });
    files.status('waiting', 'permission prompt');
    expect(record()).toMatchObject({ status: 'waiting', waitingFor: 'permission prompt' });
    expect(record()).toHaveProperty('statusUpdatedAt');
    files.status('idle');
    expect(record()).toMatchObject({ status: 'idle', name: 'a long name of it' });
    expect(record()).not.toHaveProperty('waitingFor');
    files.publish({ sessionId: 'two' });
    expect(record()).toMatchObject({ sessionId: 'two', status: 'idle' });
    files.end();
    expect(record()).toBeNull();
  });

  test('says the opposite when it is asked to', () => {
    const { files, record } = made({ kind: 'contradicting' });
    for (const [status, said] of [
      ['idle', 'busy'],
      ['busy', 'idle'],
      ['waiting', 'idle'],
    ] as const) {
      files.status(status, 'permission prompt');
      expect(record().status).toBe(said);
      expect(record()).not.toHaveProperty('waitingFor');
    }
  });

  test.each(['missing', 'read-only'] as const)('is not written when files are %s', (kind) => {
    const { files, home } = made({ kind });
    files.publish();
    files.status('idle');
    files.append([{ type: 'mode' }]);
    files.remember('x', []);
    files.end();
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('what is appended', () => {
  test('goes to the folder of the working directory and to the history, for their owner only', () => {
    const { files, home } = made();
    files.append([{ type: 'mode' }, { type: 'user' }]);
    expect(existsSync(join(home, 'projects'))).toBe(false);
    files.flush();
    files.append([{ type: 'assistant' }]);
    files.end();
    const path = join(home, 'projects', '-work-pr-jekt---a-b', 'one.jsonl');
    expect(readFileSync(path, 'utf8')).toBe('{"type":"mode"}\n{"type":"user"}\n{"type":"assistant"}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    files.remember('[Pasted text #2 +3 lines]', [{ number: 2, text: 'a\n\nb\nc' }]);
    const history = JSON.parse(readFileSync(join(home, 'history.jsonl'), 'utf8'));
    expect(Object.keys(history).sort()).toEqual(Object.keys(real.history).sort());
    expect(history).toMatchObject({
      pastedContents: { 2: { id: 2, type: 'text', content: 'a\n\nb\nc' } },
      project: cwd,
      sessionId: 'one',
    });
  });

  test('goes to the conversation that was open when it was said', () => {
    const { files, home } = made();
    files.append([{ type: 'user' }]);
    files.publish({ sessionId: 'two' });
    files.append([{ type: 'mode' }]);
    files.flush();
    expect(readdirSync(join(home, 'projects', '-work-pr-jekt---a-b')).sort()).toEqual([
      'one.jsonl',
      'two.jsonl',
    ]);
  });
});

describe('an earlier conversation', () => {
  test('is found by its id and as the latest, with what was said', () => {
    const home = temporaryFolder();
    const { files } = made({ kind: 'none' }, home, 'two');
    const context = { sessionId: 'two', cwd, model: 'm', skipPermissions: false };
    const transcript = new Transcript(context, { lastUuid: null, prompts: 0 });
    files.append(transcript.prompt('taken back', 'typed'));
    transcript.withdraw();
    files.append([
      ...transcript.prompt('hello', 'typed'),
      ...transcript.toolCall({ name: 'Bash', input: {} }, 'toolu_1'),
      ...transcript.toolResult('toolu_1', 'out', true),
      ...transcript.answer('msg', 'You said: hello', { input: 1, output: 1 }),
    ]);
    const [end] = transcript.turnEnd(1);
    files.append(end === undefined ? [] : [end]);
    files.end();
    const found = findConversation(home, cwd, 'two');
    expect(found).toEqual({
      sessionId: 'two',
      prompts: 1,
      lastUuid: end?.uuid,
      entries: [
        { kind: 'prompt', text: 'hello' },
        { kind: 'answer', text: 'You said: hello' },
      ],
    });
    expect(latestConversation(home, cwd)).toEqual(found);
    expect(findConversation(home, '/elsewhere', 'two')).toBeNull();
    expect(latestConversation(home, '/elsewhere')).toBeNull();
    expect(findConversation(home, cwd, '../two')).toBeNull();
  });
});
