import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { houmaoSkill } from '../../../src/launch/install-skills.js';
import { readRecord } from '../../../src/session/registry.js';
import { launchBody, prepare } from '../../support/brain.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const tmux = ownTmux();
let served: ManagedServer;
beforeAll(async () => {
  served = await openManagedServer(folder, tmux);
});
afterAll(() => served.close());

const path = '/houmao/agents/headless/launches';
const { requested } = prepare(folder);
const body = launchBody(requested);
const launch = (change: object = {}, key?: string) =>
  served.ask('POST', path, { ...body, ...change }, key === undefined ? {} : { 'Idempotency-Key': key });
const sessions = (): string[] => {
  const all = join(served.host.runtimeRoot, 'sessions', 'claude_headless');
  return existsSync(all) ? readdirSync(all) : [];
};
const tmuxSessions = (): string[] => {
  try {
    return tmux.run('list-sessions', '-F', '#{session_name}').trim().split('\n');
  } catch {
    return [];
  }
};

test('a launched agent is listed, registered and has its tmux session; nothing of its tool runs', async () => {
  const { status, body: launched } = await launch({ agent_name: ' alpha ', headless_display_style: 'json' });
  expect([status, launched]).toEqual([200, expect.objectContaining({ success: true })]);
  const id = launched.tracked_agent_id;
  expect(id).toMatch(/^claude_headless-\d{8}-\d{6}Z-[0-9a-f]{8}$/);
  expect(launched.identity).toMatchObject({
    tracked_agent_id: id,
    transport: 'headless',
    tool: 'claude',
    runtime_session_id: id,
    agent_name: 'HOUMAO-alpha',
    tmux_window_name: 'agent',
  });
  expect(launched.session_root).toBe(join(served.host.runtimeRoot, 'sessions', 'claude_headless', id));
  const manifest = JSON.parse(readFileSync(launched.manifest_path, 'utf8'));
  const endpoint = { api_base_url: served.url, managed_agent_ref: id };
  expect(manifest).toMatchObject({
    registry_launch_authority: 'external',
    runtime: { registry_launch_authority: 'external', agent_def_dir: requested.agentDefinition },
    gateway_authority: { attach: endpoint, control: endpoint },
    launch_plan: { metadata: { headless_display_style: 'json', headless_display_detail: 'concise' } },
  });
  expect(readFileSync(launched.manifest_path, 'utf8')).not.toContain('not-for-the-agent');
  expect(tmuxSessions()).toContain(launched.identity.tmux_session_name);
  const record = readRecord(served.host.registryRoot, launched.identity.agent_id);
  expect(record?.runtime.session_root).toBe(launched.session_root);
  expect(served.server.directory.resolve('alpha')).toMatchObject({
    kind: 'one',
    agent: { trackedAgentId: id },
  });
  expect(
    JSON.parse(readFileSync(join(folder, 'server/state/managed_agents', id, 'authority.json'), 'utf8')),
  ).toMatchObject({ tracked_agent_id: id, session_root: launched.session_root });
  // Its seed files are there, and it needs no gateway to be asked for its state.
  expect(existsSync(join(launched.session_root, 'gateway/state.json'))).toBe(true);
});

test.each([
  [
    'working_directory',
    { working_directory: '/nowhere/at/all' },
    'working_directory /nowhere/at/all is not an existing folder.',
  ],
  ['agent_def_dir', { agent_def_dir: 'agents' }, /^agent_def_dir must be /],
  ['brain_manifest_path', { brain_manifest_path: '/' }, 'brain_manifest_path / is not an existing file.'],
  ['role_name', { role_name: 'nobody' }, /^role_name nobody: agent_def_dir has no roles\/nobody\//],
  ['a role that leads elsewhere', { role_name: '../x' }, /^role_name must be a plain file name/],
  ['tool', { tool: 'codex' }, 'tool is codex, but the brain manifest is for claude.'],
  ['agent_name', { agent_name: 'HOUMAO' }, /^agent_name cannot name an agent: /],
  ['agent_id', { agent_id: '../x' }, /^agent_id must be a plain file name/],
  [
    'a mail server that nothing names',
    { mailbox: { transport: 'stalwart' } },
    /^mailbox\.stalwart_base_url is needed/,
  ],
  [
    'an address of a mail server that is none',
    { mailbox: { transport: 'stalwart', stalwart_base_url: 'mail.example' } },
    /^mailbox\.stalwart_base_url must be /,
  ],
  [
    'a mail server without a credential',
    { mailbox: { transport: 'stalwart', stalwart_base_url: 'http://127.0.0.1:47' } },
    /^mailbox: there is no credential for it \(.*\); register one .*, or set HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN/,
  ],
  ['a mailbox from nowhere', { mailbox: {} }, /^mailbox\.transport is needed/],
])('%s is refused with a sentence, and nothing is left', async (_what, change, detail) => {
  const before = [sessions(), tmuxSessions()];
  const answer = await launch(change);
  expect(answer).toMatchObject({ status: 422, body: { detail: expect.anything() } });
  if (typeof detail === 'string') expect(answer.body.detail).toBe(detail);
  else expect(answer.body.detail).toMatch(detail);
  expect([sessions(), tmuxSessions()]).toEqual(before);
});

test.each([
  ['a role that is left out', { role_name: undefined }, ['body', 'role_name']],
  ['a blank tool', { tool: ' ' }, ['body', 'tool']],
  ['a key of gateways', { gateway_port: 1 }, ['body', 'gateway_port']],
  ['a style that there is not', { headless_display_style: 'loud' }, ['body', 'headless_display_style']],
])('%s breaks the contract', async (_what, change, loc) => {
  const answer = await launch(change);
  expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc }] } });
});

test('a manifest that cannot be parsed is refused by its field, without what it holds', async () => {
  const broken = join(folder, 'broken.yaml');
  writeFileSync(broken, 'schema_version: 3\ninputs: {tool: sk-ant-secret, x: [}\n');
  const { status, body: answer } = await launch({ brain_manifest_path: broken });
  expect([status, answer.detail]).toEqual([
    422,
    'brain_manifest_path does not name a usable brain manifest: is not valid YAML (line 2).',
  ]);
});

test('a name that is taken is a 503, and the one who has it keeps everything', async () => {
  expect((await launch({ agent_name: 'taken' })).status).toBe(200);
  const before = [sessions(), tmuxSessions()];
  const { status, body: answer } = await launch({ agent_name: 'taken' });
  expect([status, answer.detail]).toEqual([503, 'An agent named HOUMAO-taken is already running.']);
  expect([sessions(), tmuxSessions()]).toEqual(before);
});

test('of ten launches of one name at once one is done, and nothing is left of the others', async () => {
  const before = sessions().length;
  const answers = await Promise.all(Array.from({ length: 10 }, () => launch({ agent_name: 'crowd' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(503)]);
  expect(sessions()).toHaveLength(before + 1);
  expect(tmuxSessions().filter((name) => name.startsWith('HOUMAO-crowd'))).toHaveLength(1);
  expect(readdirSync(join(folder, 'server/state/launches'))).not.toContainEqual(
    expect.stringContaining('.tmp'),
  );
});

test('a key that is repeated gets the first answer, at once too; another body with it is refused', async () => {
  const before = sessions().length;
  const first = await launch({ agent_name: 'keyed' }, 'key-1');
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
  const again = await launch({ agent_name: 'keyed' }, 'key-1');
  expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([
    200,
    'true',
    first.body,
  ]);
  const other = await launch({ agent_name: 'keyed-2' }, 'key-1');
  expect([other.status, other.headers.get('x-houmao-error-code')]).toEqual([422, 'key_reused']);
  expect(sessions()).toHaveLength(before + 1);
  const twins = await Promise.all([1, 2, 3].map(() => launch({ agent_name: 'twin' }, 'key-2')));
  expect(new Set(twins.map(({ body: twin }) => twin.tracked_agent_id)).size).toBe(1);
  expect(sessions()).toHaveLength(before + 2);
});

describe('the skill for work with other agents', () => {
  /** Launches an agent whose tool has a home of its own. */
  const withHome = (name: string, query: string, key?: string) => {
    const own = prepare(join(folder, name)).requested;
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    return served.ask('POST', `${path}${query}`, { ...launchBody(own), agent_name: name }, headers);
  };
  const skillOf = (name: string) => join(folder, name, 'home', 'skills', 'houmao', 'SKILL.md');

  test('is put into the home of the tool where it is asked for, and only there', async () => {
    expect((await withHome('skilled', '?skills=true')).status).toBe(200);
    expect(readFileSync(skillOf('skilled'), 'utf8')).toBe(houmaoSkill().text);
    for (const [name, query] of Object.entries({ plain: '', declined: '?skills=false' })) {
      expect((await withHome(name, query)).status).toBe(200);
      expect(existsSync(skillOf(name))).toBe(false);
    }
  });

  test('stays as it is where a user has one', async () => {
    mkdirSync(dirname(skillOf('owner')), { recursive: true });
    writeFileSync(skillOf('owner'), 'mine');
    expect((await withHome('owner', '?skills=true')).status).toBe(200);
    expect(readFileSync(skillOf('owner'), 'utf8')).toBe('mine');
  });

  test('belongs to what a key stands for, and is neither perhaps nor a field of the body', async () => {
    expect((await withHome('chosen', '?skills=true', 'key-skills')).status).toBe(200);
    const other = await withHome('chosen', '', 'key-skills');
    expect([other.status, other.headers.get('x-houmao-error-code')]).toEqual([422, 'key_reused']);
    const perhaps = await withHome('perhaps', '?skills=perhaps');
    expect(perhaps).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'skills'] }] } });
    const inBody = await launch({ skills: true });
    expect(inBody).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'skills'] }] } });
  });
});

test('what is refused uses up no key', async () => {
  expect((await launch({ agent_name: 'late', role_name: 'nobody' }, 'key-3')).status).toBe(422);
  expect((await launch({ agent_name: 'late' }, 'key-3')).status).toBe(200);
});

test("the mailbox that is asked for is the agent's; one of another owner is refused, and nothing is left", async () => {
  const root = join(folder, 'mail');
  const mailbox = { transport: 'filesystem', filesystem_root: root, address: 'post@houmao.localhost' };
  const { status, body: launched } = await launch({ agent_name: 'post', mailbox });
  expect(status).toBe(200);
  const manifest = JSON.parse(readFileSync(launched.manifest_path, 'utf8'));
  expect(manifest.launch_plan.mailbox).toMatchObject({
    address: 'post@houmao.localhost',
    filesystem_root: root,
  });
  const before = sessions();
  const refused = await launch({ agent_name: 'thief', mailbox });
  expect([refused.status, refused.body.detail]).toEqual([422, expect.stringMatching(/^mailbox: /)]);
  expect(sessions()).toEqual(before);
});

test('a launch that cannot be recorded takes all of it back, its mailbox too', async () => {
  const root = join(folder, 'mail-2');
  const mailbox = { transport: 'filesystem', filesystem_root: root };
  const authorities = join(folder, 'server/state/managed_agents');
  const kept = `${authorities}.kept`;
  const before = [sessions(), tmuxSessions()];
  renameSync(authorities, kept);
  writeFileSync(authorities, 'a file in the place of the folder');
  try {
    const { status, body: answer } = await launch({ agent_name: 'half', mailbox });
    expect([status, answer.detail]).toEqual([
      503,
      'Nothing was launched: a file of the agent could not be written (ENOTDIR).',
    ]);
  } finally {
    rmSync(authorities);
    renameSync(kept, authorities);
  }
  expect([sessions(), tmuxSessions()]).toEqual(before);
  expect(served.server.directory.resolve('half').kind).toBe('none');
  expect(readdirSync(join(root, 'mailboxes')).filter((name) => name.startsWith('half'))).toEqual([]);
  expect((await launch({ agent_name: 'half', mailbox })).status).toBe(200);
});
