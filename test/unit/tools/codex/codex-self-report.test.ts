import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identify } from '../../../../src/foundation/processes.js';
import { codexSelfReport } from '../../../../src/tools/codex/codex-self-report.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { HeardFacts } from '../heard-facts.js';

const [first, second] = ['01a2047e-2aa3-7d71-8c2e-58c95ac6eee4', '01a2047e-db37-7380-99ad-8fcd7ffba3b3'];

/** Appends to files on request, and keeps them open as Codex does; without a text it closes the file. */
const writer = `
const fs = require('node:fs');
const files = new Map();
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { path, text } = JSON.parse(line);
  if (!files.has(path)) files.set(path, fs.openSync(path, 'a'));
  if (text === null) fs.closeSync(files.get(path));
  else fs.writeSync(files.get(path), text);
  process.stdout.write('done\\n');
});
process.stdout.write('ready\\n');
`;

async function stage() {
  const home = temporaryFolder();
  const child = spawn(process.execPath, ['-e', writer], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const identity = identify(child.pid ?? 0);
  if (identity === null) throw new Error('it ended at once');
  const write = async (path: string, text: string | null): Promise<void> => {
    const done = once(child.stdout, 'data');
    child.stdin.write(`${JSON.stringify({ path, text })}\n`);
    await done;
  };
  const clock = new VirtualClock('2026-11-22T12:00:00Z');
  const now = clock.now();
  const locks = join(home, 'thread-writer-locks');
  const day = join(home, 'sessions', '2026', '11', String(now.getDate()).padStart(2, '0'));
  for (const folder of [locks, day]) mkdirSync(folder, { recursive: true });
  const agent = { process: identity, home, cwd: '/work', conversation: null };
  return {
    home,
    agent,
    child,
    clock,
    write,
    lock: (id: string) => join(locks, `${id}.lock`),
    rollout: (id: string) => join(day, `rollout-2026-11-22T12-00-00-${id}.jsonl`),
    binder: codexSelfReport.binder(agent, clock),
  };
}

const prompt = (text: string): string =>
  `${JSON.stringify({
    type: 'event_msg',
    payload: { type: 'item_completed', item: { type: 'UserMessage', content: [{ text }] } },
  })}\n`;

describe('Codex in a terminal', () => {
  it('is followed by what its process has open, all threads of it', async () => {
    const { home, clock, write, lock, rollout, binder } = await stage();
    const heard = new HeardFacts(binder, clock);
    await heard.reporter.mark();
    await write(lock(first), '');
    const lines = [`conversation ${first}`];
    await heard.heard(...lines);
    await write(rollout(first), prompt('one'));
    lines.push('- prompt_taken: one');
    await heard.heard(...lines);
    expect(heard.facts.at(-1)?.evidence).toMatch(
      /^UserMessage row at byte 0 of sessions\/2026\/11\/\d\d\/rollout-/,
    );
    await write(lock(second), '');
    lines.push(`conversation ${second}`);
    await heard.heard(...lines);
    await write(rollout(second), prompt('two'));
    lines.push('- prompt_taken: two');
    await heard.heard(...lines);
    await write(rollout(first), prompt('three'));
    lines.push('- prompt_taken: three');
    await heard.heard(...lines);
    const row = (session_id: string, text: string): string => `${JSON.stringify({ session_id, text })}\n`;
    appendFileSync(join(home, 'history.jsonl'), row('theirs', 'x') + row(second, 'four'));
    lines.push('- prompt_taken, pending: four');
    await heard.heard(...lines);
  });

  it('what another process has open is not its own', async () => {
    const { lock, rollout, binder } = await stage();
    for (const path of [lock(first), rollout(first)]) writeFileSync(path, '');
    expect(binder.check()).toMatchObject({ facts: [], rowFiles: [{ shown: 'history.jsonl' }] });
  });

  it('a rollout that it does not hold open for a while stays its own', async () => {
    const { write, lock, rollout, binder } = await stage();
    await write(lock(first), '');
    await write(rollout(first), '');
    expect(binder.check().rowFiles.length).toBe(2);
    await write(rollout(first), null);
    expect(binder.check().rowFiles.length).toBe(2);
  });

  it('what a later process with its pid has open is not its own', async () => {
    const { agent, clock, write, lock } = await stage();
    await write(lock(first), '');
    const before = { ...agent, process: { ...agent.process, startedAt: '1' } };
    expect(codexSelfReport.binder(before, clock).check().facts).toEqual([]);
    expect(codexSelfReport.binder(agent, clock).check().facts.length).toBe(1);
  });

  it('its last rows are read when it has ended, and its pid is asked no more', async () => {
    const { child, clock, write, lock, rollout, binder } = await stage();
    await write(lock(first), '');
    await write(rollout(first), '');
    const heard = new HeardFacts(binder, clock);
    await heard.reporter.mark();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    appendFileSync(rollout(first), prompt('last'));
    await heard.heard(`conversation ${first}`, '- prompt_taken: last');
    expect(readFileSync(rollout(first), 'utf8')).toBe(prompt('last'));
  });
});
