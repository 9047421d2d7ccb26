import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { type AnyRow, startStandin } from './standin-pane.js';

const folder = temporaryFolder();
const own = ownTmux();
const id = '12345678-1234-4123-8123-123456789abc';
const prompts = (rows: readonly AnyRow[]) => rows.filter(({ origin }) => origin?.kind === 'human');
const shapes = (rows: readonly AnyRow[]) =>
  rows.map((row) => row.subtype ?? row.operation ?? row.attachment?.type ?? row.type);

describe('sessions/<pid>.json', () => {
  test('comes after the trust dialog, says what the agent does, and goes with it', async () => {
    const standin = await startStandin(own, folder, { args: `--session-id ${id}`, switches: 'trust-dialog' });
    await standin.shows('❯ No, exit');
    expect(standin.record()).toBeNull();
    await standin.press('Down', 'Enter');
    const status = () => standin.record()?.status;
    await expect.poll(status).toBe('idle');
    const { pid } = standin.record() ?? {};
    const ticks = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
    expect(standin.record()).toMatchObject({
      sessionId: id,
      cwd: standin.cwd,
      procStart: ticks,
      version: '2.1.330',
      kind: 'interactive',
      tmux: expect.stringMatching(new RegExp(`^standin-\\d+:@\\d+\\.${standin.pane.id}$`)),
    });
    await standin.ready();
    await standin.send('[[slow=2000]] [[tool=Bash {"command":"ls"}]] go');
    await expect.poll(status).toBe('busy');
    await expect.poll(status).toBe('waiting');
    expect(standin.record()?.waitingFor).toBe('permission prompt');
    await standin.shows('Do you want to proceed?');
    await standin.press('Enter');
    await expect.poll(status).toBe('idle');
    expect(standin.record()).not.toHaveProperty('waitingFor');
    await standin.ready();
    await standin.press('C-c');
    await expect.poll(standin.record).toBeNull();
    await standin.shows('shell>');
  });

  test('stays behind a crash', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('x [[crash]]');
    await standin.shows('shell>');
    expect(standin.record()).toMatchObject({ status: 'busy' });
    expect(standin.outcomes()).toEqual([]);
  });
});

describe('the transcript', () => {
  test('has a row of the prompt, of the answer with its usage, and of the end, each behind the one before', async () => {
    const standin = await startStandin(own, folder, { args: `--session-id ${id} --model m` });
    await standin.ready();
    expect(standin.transcript()).toEqual([]);
    await standin.paste('tab\there [[slow=2000]]');
    await standin.press('Enter');
    await expect.poll(() => shapes(standin.transcript())).toContain('user');
    expect(shapes(standin.transcript())).not.toContain('assistant');
    await expect.poll(() => shapes(standin.transcript())).toContain('turn_duration');
    const [prompt, answer, end] = standin.transcript().filter(({ uuid }) => uuid !== undefined);
    expect(prompt).toMatchObject({
      type: 'user',
      promptSource: 'typed',
      origin: { kind: 'human' },
      sessionId: id,
      parentUuid: null,
      message: { role: 'user', content: 'tab    here [[slow=2000]]' },
    });
    expect(answer).toMatchObject({
      type: 'assistant',
      parentUuid: prompt?.uuid,
      message: { model: 'm', stop_reason: 'end_turn', usage: { input_tokens: 7, output_tokens: 13 } },
    });
    expect(end).toMatchObject({ subtype: 'turn_duration', parentUuid: answer?.uuid });
    const project = standin.cwd.replace(/[^A-Za-z0-9]/g, '-');
    expect(readdirSync(join(standin.home, 'projects', project))).toEqual([`${id}.jsonl`]);
    expect(standin.history()).toMatchObject([
      { display: 'tab    here [[slow=2000]]', project: standin.cwd, sessionId: id, pastedContents: {} },
    ]);
  });

  test('has no row for a prompt that went back into the box, and its place is taken', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('one');
    await standin.shows('Worked for');
    await standin.send('withdrawn [[slow=60000]]');
    await standin.shows('esc to interrupt');
    await standin.press('Escape');
    await expect.poll(() => standin.record()?.status).toBe('idle');
    await standin.press('C-u');
    await standin.send('next [[drip=100]] [[words=500]]');
    await standin.shows('word2');
    await standin.press('Escape');
    await expect.poll(() => JSON.stringify(standin.transcript())).toContain('[Request interrupted by user]');
    const rows = standin.transcript();
    const [, withdrawn, next] = prompts(rows);
    expect(withdrawn?.parentUuid).toBe(next?.parentUuid);
    expect(next?.turnPosition.promptIndex).toBe(2);
    const [partial, note] = rows.slice(-2);
    expect(partial?.message).toMatchObject({ stop_reason: null, content: [{ text: /^You said: next/ }] });
    expect(note?.interruptedMessageId).toBe(partial?.message.id);
  });

  test('tells of the queue: put in, taken out, taken back, read by a running turn', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('first [[slow=2000]]');
    await standin.shows('esc to interrupt');
    await standin.send('back');
    await standin.shows('Queued ·');
    await standin.press('Up', 'C-u');
    await standin.send('second [[slow=2000]] [[tool=Read]]');
    await standin.shows('❯ second');
    await standin.shows('● You said: first');
    await standin.shows('esc to interrupt');
    await standin.send('absorbed');
    await standin.shows('Do you want to proceed?');
    await standin.press('Enter');
    await standin.shows('● You said: second and: absorbed');
    await expect
      .poll(() => shapes(standin.transcript()).filter((shape) => shape === 'turn_duration').length)
      .toBe(2);
    const rows = standin.transcript();
    expect(shapes(rows).filter((shape) => /queue|^(enqueue|dequeue|popAll|remove)$/.test(shape))).toEqual([
      ...['enqueue', 'popAll', 'enqueue', 'dequeue', 'enqueue', 'remove', 'queued_command'],
    ]);
    expect(prompts(rows).map(({ promptSource, message }) => [promptSource, message.content])).toEqual([
      ['typed', 'first [[slow=2000]]'],
      ['queued', 'second [[slow=2000]] [[tool=Read]]'],
    ]);
  });

  test('tells of errors of the API and of a tool that was not allowed', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('[[fail=529]]');
    await expect.poll(standin.outcomes).toEqual(['failed']);
    await standin.send('[[tool=Bash {"command":"ls"}]]');
    await standin.shows('Do you want to proceed?');
    await standin.press('Escape');
    await expect.poll(() => JSON.stringify(standin.transcript())).toContain('by user for tool use');
    const rows = standin.transcript();
    expect(rows.find(({ isApiErrorMessage }) => isApiErrorMessage)).toMatchObject({
      error: 'server_error',
      apiErrorStatus: 529,
      message: { stop_reason: 'stop_sequence', model: '<synthetic>' },
    });
    expect(shapes(rows)).not.toContain('turn_duration');
    expect(rows.find(({ toolDenialKind }) => toolDenialKind)?.message.content[0]).toMatchObject({
      type: 'tool_result',
      is_error: true,
    });
  });
});

describe('a conversation', () => {
  test('goes on with --continue and --resume, in the same file', async () => {
    const first = await startStandin(own, folder, { args: `--session-id ${id}` });
    await first.ready();
    await first.send('one');
    await first.shows('Worked for');
    await first.press('C-c');
    await first.shows('shell>');
    const second = await startStandin(own, folder, { args: '--continue', world: first });
    await second.shows('● You said: one (turn 1 of this conversation)');
    await second.ready();
    await second.send('two');
    await second.shows('(turn 2 of this conversation)');
    await expect.poll(() => prompts(second.transcript()).length).toBe(2);
    expect(second.record()?.sessionId).toBe(id);
    const third = await startStandin(own, folder, { args: `--resume ${id}`, world: first });
    await third.shows('(turn 2 of this conversation)');
    await third.ready();
    const refused = await startStandin(own, folder, { args: `--session-id ${id}`, world: first });
    await refused.shows(`Error: Session ID ${id} is already in use.`);
    const unknown = await startStandin(own, folder, { args: '--resume nowhere' });
    await unknown.shows('No conversation found with session ID: nowhere');
  });

  test.each(['clear', 'new'])('is a new one after /%s, with a file of its own', async (name) => {
    const standin = await startStandin(own, folder, { args: `--session-id ${id}` });
    await standin.ready();
    await standin.send('one');
    await standin.shows('Worked for');
    await standin.send(`/${name}`);
    await expect.poll(() => standin.record()?.sessionId).not.toBe(id);
    await expect.poll(async () => (await standin.rows()).join('\n')).not.toContain('You said: one');
    await standin.send('two');
    await standin.shows('● You said: two (turn 1 of this conversation)');
    const { sessionId } = standin.record() ?? {};
    await expect
      .poll(() => prompts(standin.transcript()).map((row) => [row.message.content, row.sessionId]))
      .toEqual(
        expect.arrayContaining([
          ['one', id],
          ['two', sessionId],
        ]),
      );
    expect(standin.history().map(({ display }) => display)).toEqual(['one', `/${name}`, 'two']);
  });

  test('does not know every command', async () => {
    const standin = await startStandin(own, folder);
    await standin.ready();
    await standin.send('/nosuchcmd x');
    await standin.shows('Unknown command: /nosuchcmd');
    await expect.poll(() => shapes(standin.transcript())).toContain('informational');
    expect(standin.prompts()).toEqual([]);
  });
});
