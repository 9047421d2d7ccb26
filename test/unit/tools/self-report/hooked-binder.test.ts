import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claudeHookEvents } from '../../../../src/tools/claude/claude-adapter.js';
import { HookedBinder } from '../../../../src/tools/self-report/hooked-binder.js';
import type { Binder, SelfReportFact } from '../../../../src/tools/self-report/self-report.js';
import type { ReportMark } from '../../../../src/tools/self-report/self-reporter.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { HeardFacts } from '../heard-facts.js';

const row = (prompt: string, session_id = 'c1') =>
  `${JSON.stringify({ session_id, hook_event_name: 'UserPromptSubmit', prompt })}\n`;

function stage() {
  const folder = join(temporaryFolder(), 'terminal');
  mkdirSync(folder);
  const path = join(folder, 'hooks.jsonl');
  const reported: SelfReportFact[] = [];
  const own: Binder = { check: () => ({ facts: reported.splice(0), rowFiles: [], folders: [] }) };
  const follow = (conversation: string | null, from: ReportMark | null = null) => {
    const file = { path, shown: 'terminal/hooks.jsonl' };
    const binder = new HookedBinder(own, file, claudeHookEvents, conversation);
    return new HeardFacts(binder, new VirtualClock('2026-01-01T00:00:00Z'), from);
  };
  return { folder, path, reported, follow };
}

it('rows that stood there before are of an earlier run, and later ones count', async () => {
  const { path, follow } = stage();
  writeFileSync(path, row('before'));
  const heard = follow('c1');
  await heard.reporter.mark();
  appendFileSync(path, row('after'));
  await heard.reporter.mark();
  await heard.heard('- prompt_taken, pending: after');
});

it('the other files, and the command line, say whose rows count', async () => {
  const { path, reported, follow } = stage();
  const heard = follow('c1');
  await heard.reporter.mark();
  writeFileSync(path, row('of the command line') + row('of another one', 'c2'));
  await heard.reporter.mark();
  reported.push({ kind: 'conversation', id: 'c2', evidence: 'a status file', at: null });
  await heard.reporter.mark();
  appendFileSync(path, row('of the next one', 'c2'));
  await heard.reporter.mark();
  await heard.heard(
    '- prompt_taken, pending: of the command line',
    'conversation c2',
    '- prompt_taken, pending: of the next one',
  );
});

it('a file that is cut, goes, comes again or holds nonsense costs only what stood in it', async () => {
  const { folder, path, follow } = stage();
  const heard = follow('c1');
  await heard.reporter.mark();
  writeFileSync(path, `${row('one').slice(0, 30)}\n\u0000\n[]\n${row('two')}`);
  await heard.reporter.mark();
  rmSync(folder, { recursive: true });
  await heard.reporter.mark();
  mkdirSync(folder);
  writeFileSync(path, row('three'));
  await heard.reporter.mark();
  rmSync(path);
  mkdirSync(path);
  await heard.reporter.mark();
  expect(heard.lines).toEqual(['- prompt_taken, pending: two', '- prompt_taken, pending: three']);
  expect(heard.faults).toHaveLength(1);
});

it('who goes on from a mark hears what came since', async () => {
  const { path, follow } = stage();
  writeFileSync(path, row('before'));
  const mark = await follow('c1').reporter.mark();
  appendFileSync(path, row('since'));
  await follow('c1', mark).heard('- prompt_taken, pending: since');
});
