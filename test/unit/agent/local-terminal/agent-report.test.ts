import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AgentReport, conversationOf } from '../../../../src/agent/local-terminal/agent-report.js';
import { surroundingsOf } from '../../../../src/foundation/processes.js';
import type { TreeProcess } from '../../../../src/terminal/process-tree.js';
import type { ToolName } from '../../../../src/tools/adapter/tool-adapter.js';
import type { HookFile } from '../../../../src/tools/self-report/hooked-binder.js';
import type { SelfReportFact } from '../../../../src/tools/self-report/self-report.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const children: ChildProcess[] = [];
const reports: AgentReport[] = [];
afterEach(async () => {
  await Promise.all(reports.splice(0).map((report) => report.close()));
  for (const child of children.splice(0)) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
});

/** A process that stands for the tool, with a home of its own. */
async function startTool(): Promise<TreeProcess> {
  const child = spawn('sleep', ['600'], { env: { HOME: temporaryFolder() } });
  children.push(child);
  // While it becomes that program it shows no environment.
  await expect.poll(() => surroundingsOf(child.pid ?? 0)?.environment.HOME).toBeDefined();
  return { pid: child.pid ?? 0, name: 'sleep', args: ['sleep', '600'] };
}

function reportOf(tool: ToolName | null, hooks: HookFile | null = null) {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const faults: string[] = [];
  let heard = 0;
  const report = new AgentReport({
    tool,
    hooks,
    clock,
    report: (fault: string) => void faults.push(fault),
    onReport: () => {
      heard += 1;
    },
  });
  reports.push(report);
  return { report, clock, faults, heard: () => heard };
}

const codex = (state: string) => `\\033]7501;state=${state}:app=codex\\007`;

describe('what an agent says to its terminal', () => {
  test('is its state from then on, and wakes who waits for it', async () => {
    const { report, clock, heard } = reportOf('codex');
    report.saw(await startTool(), '');
    expect([report.reportedState, report.follows]).toEqual([null, true]);
    clock.pass(50);
    report.wrote(`drawn ${codex('working')} and more`);
    expect(report.reportedState).toEqual({
      state: 'busy',
      waitingFor: null,
      evidence: 'OSC 7501 state=working',
      since: clock.monotonic(),
    });
    expect(heard()).toBe(1);
    report.wrote(codex('idle'));
    expect(report.reportedState?.state).toBe('idle');
  });

  test('is heard however it is cut', async () => {
    const { report } = reportOf('codex');
    report.saw(await startTool(), '');
    for (const part of ['x\\033', ']7501;state=', 'working:app=codex', '\\033', '\\134 drawn on'])
      report.wrote(part);
    expect(report.reportedState?.state).toBe('busy');
  });

  test('is in the title of others', async () => {
    const { report } = reportOf('gemini');
    const tool = await startTool();
    report.saw(tool, '◇  Ready (project)');
    expect(report.reportedState?.state).toBe('idle');
    report.saw(tool, '✋  Action Required (project)');
    expect(report.reportedState).toMatchObject({ state: 'waiting', waitingFor: 'Action Required' });
  });

  test('ends with its process: another one has said nothing yet', async () => {
    const { report } = reportOf('codex');
    report.saw(await startTool(), '');
    report.wrote(codex('working'));
    report.saw(await startTool(), '');
    expect([report.reportedState, report.follows]).toEqual([null, true]);
    report.wrote(codex('working'));
    report.saw(null, '');
    expect([report.reportedState, report.follows]).toEqual([null, false]);
    report.wrote(codex('working'));
    expect(report.reportedState).toBeNull();
  });

  test('of a tool that nobody listens to is nothing', async () => {
    const { report } = reportOf(null);
    report.saw(await startTool(), 'title');
    report.wrote(codex('working'));
    expect([report.reportedState, report.follows, await report.mark()]).toEqual([null, false, null]);
  });

  test('is reported to a listener until it stops', async () => {
    const { report } = reportOf('codex');
    report.saw(await startTool(), '');
    const facts: SelfReportFact[] = [];
    const stop = report.listen(null, (fact) => void facts.push(fact));
    report.wrote(codex('working'));
    stop();
    report.wrote(codex('idle'));
    expect(facts).toMatchObject([{ kind: 'state', state: 'busy' }]);
  });
});

describe('what an agent tells its hooks', () => {
  const row = (hook_event_name: string, session_id: string) =>
    `${JSON.stringify({ session_id, hook_event_name, prompt: 'hello', tool_name: 'Bash' })}\n`;
  const asks = row('PermissionRequest', 'a-b');
  const args = ['claude', '--session-id', 'a-b'];

  async function hooked(tool: ToolName) {
    const path = join(temporaryFolder(), 'hooks.jsonl');
    writeFileSync(path, asks);
    const stage = reportOf(tool, { path, shown: 'terminal/hooks.jsonl' });
    stage.report.saw({ ...(await startTool()), args }, '');
    await stage.report.mark();
    const write = async (text: string) => {
      appendFileSync(path, text);
      await stage.report.mark();
    };
    return { ...stage, path, write };
  }

  test('is that it waits, for a moment, and who waits for it is woken when that is over', async () => {
    const { report, clock, heard, write } = await hooked('claude');
    expect(report.reportedState).toBeNull();
    await write(row('PermissionRequest', 'of another conversation'));
    expect([report.reportedState, heard()]).toEqual([null, 0]);
    await write(asks);
    expect(report.reportedState).toMatchObject({ state: 'waiting', waitingFor: 'permission for Bash' });
    const before = heard();
    clock.pass(1999);
    expect(report.reportedState?.state).toBe('waiting');
    clock.pass(1);
    expect(report.reportedState).toBeNull();
    await expect.poll(heard).toBe(before + 1);
  });

  test('counts against a tool at work, until it says something else', async () => {
    const { report, clock, write } = await hooked('codex');
    report.wrote(codex('idle'));
    await write(asks);
    expect(report.reportedState?.state).toBe('idle');
    report.wrote(codex('working'));
    clock.pass(5);
    await write(asks);
    expect(report.reportedState?.state).toBe('waiting');
    clock.pass(5);
    report.wrote(codex('working'));
    expect(report.reportedState?.state).toBe('busy');
  });

  test('ends with its process', async () => {
    const { report, clock, heard, write } = await hooked('claude');
    await write(asks);
    report.saw({ ...(await startTool()), args }, '');
    expect(report.reportedState).toBeNull();
    const before = heard();
    clock.pass(5000);
    await report.mark();
    expect([report.reportedState, heard()]).toEqual([null, before]);
  });

  test('since a mark is reported to a listener that came before the agent was found, and to no other', async () => {
    const earlier = await hooked('claude');
    const mark = await earlier.report.mark();
    await earlier.write(row('UserPromptSubmit', 'a-b'));
    const { report } = reportOf('claude', { path: earlier.path, shown: 'terminal/hooks.jsonl' });
    const reported: string[] = [];
    report.listen(mark, ({ kind }) => void reported.push(`late: ${kind}`));
    report.listen(null, ({ kind }) => void reported.push(kind));
    report.listen(mark, ({ kind }) => void reported.push(`ended: ${kind}`))();
    report.saw({ ...(await startTool()), args }, '');
    await expect.poll(() => reported).toEqual(['late: prompt_taken']);
  });

  test('is a prompt as well', async () => {
    const { report, write } = await hooked('claude');
    const facts: SelfReportFact[] = [];
    report.listen(null, (fact) => void facts.push(fact));
    await write(row('UserPromptSubmit', 'a-b'));
    expect(facts).toMatchObject([{ kind: 'prompt_taken', text: 'hello', pending: true }]);
  });
});

test.each([
  [['claude', '--session-id', 'a-b', '--model', 'm'], 'a-b'],
  [['gemini', '--session-id=a-b'], 'a-b'],
  [['claude', '--resume', 'c-d'], 'c-d'],
  [['gemini', '--resume', 'latest'], null],
  [['claude', '--resume', '--verbose'], null],
  [['claude'], null],
])('the command line %j asks for %s', (args, conversation) => {
  expect(conversationOf(args)).toBe(conversation);
});
