import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identify } from '../../../../src/foundation/processes.js';
import { claudeSelfReport } from '../../../../src/tools/claude/claude-self-report.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { HeardFacts } from '../heard-facts.js';

const [one, two] = ['11111111-0000-4000-8000-000000000001', '22222222-0000-4000-8000-000000000002'];

/** A process that stands for Claude Code, and the folder it would write to. */
async function stage() {
  const home = temporaryFolder();
  for (const folder of ['sessions', 'projects']) mkdirSync(join(home, folder));
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const process = identify(child.pid ?? 0);
  if (process === null) throw new Error('it ended at once');
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const agent = { process, home, cwd: '/work/a b', conversation: null };
  const file = join(home, 'sessions', `${process.pid}.json`);
  const status = (sessionId: string, fields: object = {}): void =>
    writeFileSync(
      file,
      JSON.stringify({
        pid: process.pid,
        procStart: process.startedAt,
        sessionId,
        cwd: '/work/a b',
        ...fields,
      }),
    );
  return { home, child, process, clock, file, status, binder: claudeSelfReport.binder(agent, clock) };
}

const prompt = (text: string): string =>
  `${JSON.stringify({ type: 'user', origin: { kind: 'human' }, message: { content: text } })}\n`;

describe('Claude Code in a terminal', () => {
  it('is followed by what its process writes, from the first prompt through /clear', async () => {
    const { home, clock, status, binder } = await stage();
    const project = join(home, 'projects', '-work-a-b');
    mkdirSync(project);
    const heard = new HeardFacts(binder, clock);
    await heard.reporter.mark();
    status(one);
    const lines = [`conversation ${one}`];
    await heard.heard(...lines);
    status(one, { status: 'idle', statusUpdatedAt: 1 });
    await heard.heard(...lines, 'state idle');
    status(one, { status: 'busy', statusUpdatedAt: 2 });
    await heard.heard(...lines, 'state idle', 'state busy');
    writeFileSync(join(project, `${one}.jsonl`), prompt('first'));
    lines.push('state idle', 'state busy', '- prompt_taken: first');
    await heard.heard(...lines);
    expect(heard.facts.at(-1)).toMatchObject({
      conversation: one,
      evidence: `user row at byte 0 of projects/-work-a-b/${one}.jsonl`,
    });
    status(two, { status: 'busy', statusUpdatedAt: 2 });
    lines.push(`conversation ${two}`);
    await heard.heard(...lines);
    writeFileSync(join(project, `${two}.jsonl`), prompt('second'));
    lines.push('- prompt_taken: second');
    await heard.heard(...lines);
    // The old one is still read: its last rows may come late.
    appendFileSync(join(project, `${one}.jsonl`), prompt('late'));
    lines.push('- prompt_taken: late');
    await heard.heard(...lines);
    status(two, { status: 'waiting', waitingFor: 'permission prompt', statusUpdatedAt: 3 });
    await heard.heard(...lines, 'state waiting for permission prompt');
  });

  it('a folder that its first prompt makes is found', async () => {
    const { home, clock, status, binder } = await stage();
    status(one);
    const heard = new HeardFacts(binder, clock);
    await heard.reporter.mark();
    const project = join(home, 'projects', '-work-a-b');
    mkdirSync(project);
    writeFileSync(join(project, `${one}.jsonl`), prompt('first'));
    await heard.heard(`conversation ${one}`, '- prompt_taken: first');
  });

  it('a transcript is found in whatever folder it is', async () => {
    const { home, clock, status, binder } = await stage();
    status(one);
    mkdirSync(join(home, 'projects', 'cut-and-hashed'));
    writeFileSync(join(home, 'projects', 'cut-and-hashed', `${one}.jsonl`), '');
    const heard = new HeardFacts(binder, clock);
    await heard.reporter.mark();
    appendFileSync(join(home, 'projects', 'cut-and-hashed', `${one}.jsonl`), prompt('x'));
    await heard.heard(`conversation ${one}`, '- prompt_taken: x');
  });

  it('commands of its conversations, and of no others, are in the history', async () => {
    const { home, clock, status, binder } = await stage();
    status(one);
    const heard = new HeardFacts(binder, clock);
    await heard.reporter.mark();
    const row = (sessionId: string, display: string): string => `${JSON.stringify({ sessionId, display })}\n`;
    writeFileSync(join(home, 'history.jsonl'), row(two, '/theirs') + row(one, '/ours'));
    await heard.heard(`conversation ${one}`, '- prompt_taken, pending: /ours');
  });

  it('what another process left under its pid is no word of it', async () => {
    const { clock, status, binder } = await stage();
    status(one, { procStart: '1', status: 'busy' });
    expect(binder.check().facts).toEqual([]);
    clock.pass(999);
    expect(binder.check().facts).toEqual([]);
    status(two, { status: 'idle' });
    expect(binder.check().facts).toMatchObject([{ kind: 'conversation', id: two }, { state: 'idle' }]);
  });

  it('what it left itself when it was killed is none either', async () => {
    const { child, clock, status, binder } = await stage();
    status(one, { status: 'busy' });
    expect(binder.check().facts.length).toBe(2);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    status(one, { status: 'idle' });
    clock.pass(60_000);
    expect(binder.check().facts).toEqual([]);
  });

  it('a start without a file says nothing: it may be a dialog, a folder that cannot be written, or switched off', async () => {
    const { clock, status, binder } = await stage();
    expect(binder.check().facts).toEqual([]);
    clock.pass(60_000);
    expect(binder.check().facts).toEqual([]);
    status(one, { status: 'idle' });
    expect(binder.check().facts).toMatchObject([{ kind: 'conversation' }, { state: 'idle' }]);
  });

  it('a file that is gone later says nothing of its start', async () => {
    const { clock, file, status, binder } = await stage();
    status(one);
    binder.check();
    unlinkSync(file);
    clock.pass(5000);
    expect(binder.check().facts).toEqual([]);
  });

  it('a file that is being written just now is read at the next look', async () => {
    const { clock, file, status, binder } = await stage();
    writeFileSync(file, '{"pid":');
    clock.pass(5000);
    expect(binder.check().facts).toEqual([]);
    status(one);
    expect(binder.check().facts).toMatchObject([{ kind: 'conversation' }]);
  });

  it('a state is reported once, and again when it came back in between', async () => {
    const { status, binder } = await stage();
    const reported = (): number => binder.check().facts.filter(({ kind }) => kind === 'state').length;
    status(one, { status: 'idle', statusUpdatedAt: 1 });
    expect([reported(), reported()]).toEqual([1, 0]);
    status(one, { status: 'idle', statusUpdatedAt: 2 });
    expect([reported(), reported()]).toEqual([1, 0]);
    status(one, { status: 'shell', statusUpdatedAt: 2 });
    expect(reported()).toBe(0);
  });

  it('only the latest conversations are followed', async () => {
    const { home, status, binder } = await stage();
    const ids = Array.from({ length: 20 }, (_, index) => `conversation-${index}`);
    mkdirSync(join(home, 'projects', 'p'));
    for (const id of ids) {
      writeFileSync(join(home, 'projects', 'p', `${id}.jsonl`), '');
      status(id);
      binder.check();
    }
    const names = binder.check().rowFiles.map(({ shown }) => shown);
    expect(names).toEqual([...ids.slice(-8).map((id) => `projects/p/${id}.jsonl`), 'history.jsonl']);
  });
});
