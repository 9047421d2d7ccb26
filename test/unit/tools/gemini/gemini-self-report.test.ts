import { appendFileSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { geminiSelfReport } from '../../../../src/tools/gemini/gemini-self-report.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { HeardFacts } from '../heard-facts.js';
import { sampleText } from '../session-sample.js';

const ours = '1de9e5dd-d11b-40ea-81bd-f37fdc5009f5';
const name = 'session-2026-11-22T18-42-1de9e5dd.jsonl';
const header = (sessionId: string): string =>
  `${JSON.stringify({ sessionId, projectHash: 'h', kind: 'main' })}\n`;
const prompt = (text: string): string => `${JSON.stringify({ type: 'user', content: [{ text }] })}\n`;

function stage(conversation: string | null = ours) {
  const home = temporaryFolder();
  const clock = new VirtualClock('2026-11-22T12:00:00Z');
  const project = join(home, 'tmp', 'project');
  const chats = join(project, 'chats');
  mkdirSync(chats, { recursive: true });
  const projects = (cwd: string, slug: string): void =>
    writeFileSync(join(home, 'projects.json'), JSON.stringify({ projects: { [cwd]: slug } }));
  writeFileSync(join(home, 'projects.json'), sampleText('gemini/projects.json'));
  const process = { pid: 1, startedAt: '1' };
  const binderIn = (cwd: string) => geminiSelfReport.binder({ process, home, cwd, conversation }, clock);
  const chat = join(chats, name);
  return { home, clock, project, chats, chat, projects, binderIn, binder: binderIn('/work/project') };
}

describe('Gemini CLI in a terminal', () => {
  it('is followed by the conversation that it was started with, also when its chat goes and comes', async () => {
    const { clock, project, chat, binder } = stage();
    const heard = new HeardFacts(binder, clock);
    await heard.reporter.mark();
    writeFileSync(chat, header(ours));
    const lines = [`conversation ${ours}`];
    await heard.heard(...lines);
    appendFileSync(chat, prompt('one'));
    lines.push('- prompt_taken: one');
    await heard.heard(...lines);
    unlinkSync(chat);
    writeFileSync(chat, prompt('two'));
    lines.push('- prompt_taken: two');
    await heard.heard(...lines);
    expect(heard.facts.at(-1)).toMatchObject({
      conversation: ours,
      evidence: `user row at byte 0 of tmp/project/chats/${name}`,
    });
    const entry = { sessionId: ours, messageId: 0, type: 'user', message: '/stats' };
    writeFileSync(join(project, 'logs.json'), JSON.stringify([entry]));
    lines.push('- prompt_taken, pending: /stats');
    await heard.heard(...lines);
  });

  it('a chat of another conversation is not ours, whatever its name', () => {
    const { chats, chat, binder } = stage();
    writeFileSync(chat, header('1de9e5dd-0000-4000-8000-000000000000'));
    writeFileSync(join(chats, 'session-2026-11-22T18-42-ffffffff.jsonl'), header(ours));
    expect(binder.check()).toMatchObject({ facts: [], rowFiles: [] });
    writeFileSync(join(chats, 'session-2026-11-22T18-43-1de9e5dd.jsonl'), header(ours));
    expect(binder.check().rowFiles).toMatchObject([
      { shown: 'tmp/project/chats/session-2026-11-22T18-43-1de9e5dd.jsonl' },
    ]);
  });

  it('a chat without its first row is known by its name', () => {
    const { chat, binder } = stage();
    writeFileSync(chat, prompt('x'));
    expect(binder.check().rowFiles.length).toBe(1);
  });

  it('its project is that of the working directory, also behind a link', () => {
    const { home, chat, projects, binderIn } = stage();
    writeFileSync(chat, header(ours));
    const real = temporaryFolder();
    const link = join(home, 'link');
    symlinkSync(real, link);
    expect(binderIn(link).check().rowFiles).toEqual([]);
    projects(real, 'project');
    expect(binderIn(link).check().rowFiles.length).toBe(1);
    for (const slug of ['../tmp/project', '..', '']) {
      projects(real, slug);
      expect(binderIn(link).check().rowFiles).toEqual([]);
    }
  });

  it('without an id from its start nothing is followed', () => {
    const { chat, binder } = stage(null);
    writeFileSync(chat, header(ours));
    expect(binder.check()).toMatchObject({ facts: [], rowFiles: [] });
  });
});
