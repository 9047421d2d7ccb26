import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processTree } from '../../../src/terminal/process-tree.js';
import { linesOf } from '../recovery/evidence.js';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();
const { ask, direct, queued, request } = agents;
const hookFile = () => join(agents.agent.root, 'terminal/hooks.jsonl');
const rows = () => linesOf(hookFile()).flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
/** The commands that the tool runs for our hooks just now. */
const hooksUnderWay = () =>
  processTree(agents.panePid()).flatMap(({ args }) => (args.includes(hookFile()) ? [args] : []));
const prompts = () => agents.taken().map(({ prompt }) => prompt);
const replaceBy = (program: 'mkdir' | 'mkfifo'): void => {
  rmSync(hookFile());
  execFileSync(program, [hookFile()]);
};
const turnOf = async (sent: Awaited<ReturnType<typeof direct>>) =>
  agents.turn(sent.headers.get('x-houmao-turn-id') ?? '');
const ofAnotherSession = (prompt: string) =>
  `${JSON.stringify({ session_id: 'another', hook_event_name: 'UserPromptSubmit', prompt })}\n`;

test('each prompt is a row in a file of its owner; the row in the conversation is the evidence', async () => {
  await agents.launch('', '--hooks');
  await agents.ready();
  for (const text of ['one', 'two']) {
    const turn = await turnOf(await direct(text));
    expect(turn).toMatchObject({ outcome: 'completed', answer: { text: expect.stringContaining(text) } });
    expect(turn.delivery.evidence).toMatch(/^user row at byte/);
    await agents.ready();
  }
  await expect.poll(() => rows().map(({ prompt }) => prompt)).toEqual(['one', 'two']);
  expect(statSync(hookFile()).mode & 0o777).toBe(0o600);
  expect(prompts()).toEqual(['one', 'two']);
});

test('where the agent writes no files of its own, the row of the hook is the evidence', async () => {
  await agents.launch('session-file=missing', '--hooks');
  await agents.ready();
  const turn = await turnOf(await direct('hello'));
  expect(turn).toMatchObject({
    state: 'ended',
    outcome: 'completed',
    delivery: {
      state: 'confirmed',
      evidence:
        'UserPromptSubmit row at byte 0 of terminal/hooks.jsonl, accepted and not yet in the conversation',
    },
  });
  expect(prompts()).toEqual(['hello']);
});

test('a permission is known before its dialog is drawn, and nothing goes into it', async () => {
  await agents.launch('session-file=missing,permission-late=1500', '--hooks');
  await agents.ready();
  await agents.keys('[[tool=Bash {"command":"ls"}]] look<[Enter]>');
  await expect
    .poll(() => rows().map(({ hook_event_name }) => hook_event_name))
    .toContain('PermissionRequest');
  const id = await queued('after the permission');
  await expect
    .poll(async () => (await ask('GET', `/v1/requests/${id}`)).body.waiting_reason?.detail, { interval: 20 })
    .toContain("blocked='permission', self_report='waiting' (permission for Bash)");
  expect(agents.screen()).not.toContain('Do you want to proceed?');
  await expect.poll(agents.screen).toContain('Do you want to proceed?');
  await agents.keys('<[Escape]>');
  expect(await request(id)).toMatchObject({ state: 'completed' });
  expect(prompts()).toEqual(['[[tool=Bash {"command":"ls"}]] look', 'after the permission']);
});

test.each<[string, () => void]>([
  ['is deleted', () => rmSync(hookFile())],
  ['is gone with its folder', () => rmSync(join(hookFile(), '..'), { recursive: true })],
  ['cannot be written', () => replaceBy('mkdir')],
  ['hangs', () => replaceBy('mkfifo')],
  ['is cut in a row', () => appendFileSync(hookFile(), '{"session_id":"')],
  ['tells of another session', () => appendFileSync(hookFile(), ofAnotherSession('hello'))],
])('a file of hooks that %s does not hurt', async (_what, spoil) => {
  await agents.launch('', '--hooks');
  await agents.ready();
  spoil();
  const turn = await turnOf(await direct('hello'));
  expect(turn).toMatchObject({
    outcome: 'completed',
    delivery: { evidence: expect.stringMatching(/^user row/) },
  });
  // One that hangs ends only when the tool kills it.
  await expect.poll(hooksUnderWay).toEqual([]);
  await agents.ready();
  expect((await direct('the next')).status).toBe(200);
  expect(prompts()).toEqual(['hello', 'the next']);
});

test('a row of another session, and one of an earlier run, are no evidence', async () => {
  await agents.launch('session-file=missing,drop-enter=9', '--hooks');
  await agents.ready();
  appendFileSync(hookFile(), ofAnotherSession('hello'));
  expect(await direct('hello')).toMatchObject({ status: 422, body: { detail: { sent: false } } });
  process.kill(agents.gatewayPid(), 'SIGKILL');
  const [conversation] = /--session-id' \\?\s*'([0-9a-f-]{36})/
    .exec(readFileSync(join(agents.agent.root, 'terminal/start.sh'), 'utf8'))
    ?.slice(1) ?? [''];
  appendFileSync(hookFile(), ofAnotherSession('again').replace('another', conversation ?? ''));
  await agents.attach();
  await agents.ready();
  expect(await direct('again')).toMatchObject({ status: 422, body: { detail: { sent: false } } });
  expect(prompts()).toEqual([]);
});

/** The flags of a launch in a home whose settings have a hook of the user's. */
function withUserHook(name: string, command: string): string[] {
  const home = join(agents.folder, name);
  mkdirSync(home);
  const group = [{ hooks: [{ type: 'command', command }] }];
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ hooks: { UserPromptSubmit: group } }));
  return ['--hooks', '--home', home];
}
const refusing = (seconds: string) => `if grep -q refused; then sleep ${seconds}; echo no >&2; exit 2; fi`;

test('a prompt that a hook of the user refuses at once is not delivered', async () => {
  await agents.launch('', ...withUserHook('refuses', refusing('0')));
  await agents.ready();
  expect(await direct('to be refused')).toMatchObject({
    status: 422,
    body: {
      detail: { sent: false, detail: expect.stringContaining('was put back') },
    },
  });
  expect(new Set(rows().map(({ prompt }) => prompt))).toEqual(new Set(['to be refused']));
  expect(agents.composer()).toMatch(/^❯\s*$/);
  await expect.poll(async () => (await direct('the next')).status, { interval: 300 }).toBe(200);
  expect(prompts()).toEqual(['the next']);
});

test('one that is refused later was accepted before, and its turn ends with it', async () => {
  await agents.launch('', ...withUserHook('refuses-late', refusing('1')));
  await agents.ready();
  const turn = await turnOf(await direct('to be refused'));
  expect(turn).toMatchObject({
    outcome: 'interrupted',
    error: { detail: 'The agent put the prompt back into its composer.' },
    delivery: { evidence: expect.stringMatching(/^UserPromptSubmit row .*, accepted and not yet/) },
  });
  expect(prompts()).toEqual([]);
});

test('while a hook of the user keeps a prompt, ours tells that it was accepted', async () => {
  await agents.launch('', ...withUserHook('slow', 'sleep 1.5'));
  await agents.ready();
  const turn = await turnOf(await direct('hello'));
  expect(turn).toMatchObject({
    outcome: 'completed',
    answer: { text: expect.stringContaining('hello') },
    delivery: { evidence: expect.stringMatching(/^UserPromptSubmit row .*, accepted and not yet/) },
  });
  expect(prompts()).toEqual(['hello']);
});
