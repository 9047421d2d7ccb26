import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { BrainLaunchRefused, type RequestedBrainLaunch } from '../../../../src/launch/brain/brain-launch.js';
import { checkBrainLaunch } from '../../../../src/launch/brain/check-brain-launch.js';
import { createSession } from '../../../../src/launch/create-session.js';
import { LaunchRefused } from '../../../../src/launch/launch-fault.js';
import { brainOf, prepare } from '../../../support/brain.js';
import { hostIn } from '../../../support/launch-host.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const api = 'http://127.0.0.1:9889';
let counter = 0;
function stage(change: object = {}) {
  counter += 1;
  const folder = join(temporaryFolder(), String(counter));
  mkdirSync(folder);
  return { folder, host: hostIn(folder), ...prepare(folder, change) };
}
type Stage = ReturnType<typeof stage>;

function troubleOf({ host }: Stage, requested: RequestedBrainLaunch) {
  try {
    checkBrainLaunch(requested, api, host);
  } catch (error) {
    if (error instanceof BrainLaunchRefused) return error.trouble;
    throw error;
  }
  throw new Error('it was not refused');
}

test('fills in what the manifest says, under the server that launches', () => {
  const { requested, host, folder, ledger } = stage();
  const request = checkBrainLaunch({ ...requested, agentName: 'alpha' }, api, host);
  expect(request).toMatchObject({
    tool: 'claude',
    name: 'HOUMAO-alpha',
    roleName: 'tester',
    unattended: false,
    tmux: true,
    terminal: false,
    homePath: join(folder, 'home'),
    role: 'You test.\n',
    managed: { apiBaseUrl: api, brainPath: requested.brainPath, agentDefinition: requested.agentDefinition },
  });
  expect(request.managed?.sessionId).toMatch(/^claude_headless-\d{8}-\d{6}Z-[0-9a-f]{8}$/);
  expect(request.environment.HOUMAO_STANDIN_LEDGER).toBe(ledger);
  expect(request.environment).not.toHaveProperty('A_SECRET');
});

test('the first rule that is broken is reported, whatever else is wrong after it', () => {
  const at = stage();
  const { requested, folder } = at;
  const brain = (change: object) =>
    writeFileSync(requested.brainPath, stringify({ ...brainOf(folder), ...change }));
  // Everything is wrong; one by one it is mended, in the order in which it is reported.
  const bad: RequestedBrainLaunch = {
    ...requested,
    workingDirectory: join(folder, 'none'),
    agentDefinition: join(folder, 'none'),
    brainPath: join(folder, 'none'),
    roleName: 'nobody',
    tool: 'codex',
    agentName: 'HOUMAO',
    agentId: '..',
    mailbox: {},
  };
  brain({ schema_version: 1 });
  expect(troubleOf(at, bad)).toEqual({ code: 'working_directory', rule: 'folder' });
  Object.assign(bad, { workingDirectory: requested.workingDirectory });
  expect(troubleOf(at, bad)).toEqual({ code: 'agent_definition', rule: 'folder' });
  Object.assign(bad, { agentDefinition: requested.agentDefinition });
  expect(troubleOf(at, bad)).toEqual({ code: 'brain_file', rule: 'file' });
  Object.assign(bad, { brainPath: requested.brainPath });
  expect(troubleOf(at, bad)).toMatchObject({ code: 'brain_manifest' });
  const wrong = {
    runtime: {
      ...brainOf(folder).runtime,
      launch_executable: 'no-such-program',
      launch_contract: { adapter_defaults: { args: ['--resume=x'] } },
    },
  };
  brain({ ...wrong, inputs: { tool: 'kimi' } });
  expect(troubleOf(at, bad)).toEqual({ code: 'role_missing' });
  Object.assign(bad, { roleName: requested.roleName });
  expect(troubleOf(at, bad)).toEqual({ code: 'tool_differs', asked: 'codex', declared: 'kimi' });
  Object.assign(bad, { tool: 'kimi' });
  expect(troubleOf(at, bad)).toMatchObject({ code: 'tool_unknown', tool: 'kimi' });
  Object.assign(bad, { tool: 'claude' });
  brain(wrong);
  expect(troubleOf(at, bad)).toMatchObject({ code: 'launch', trouble: { code: 'program_missing' } });
  brain({ runtime: { ...wrong.runtime, launch_executable: brainOf(folder).runtime.launch_executable } });
  expect(troubleOf(at, bad)).toMatchObject({
    trouble: { code: 'reserved_argument', argument: '--resume=x' },
  });
  brain({});
  expect(troubleOf(at, bad)).toMatchObject({ code: 'agent_name' });
  Object.assign(bad, { agentName: null });
  expect(troubleOf(at, bad)).toEqual({ code: 'agent_id' });
  Object.assign(bad, { agentId: null });
  expect(troubleOf(at, bad)).toMatchObject({ code: 'mailbox_field', field: 'transport' });
  Object.assign(bad, { mailbox: null });
  expect(checkBrainLaunch(bad, api, at.host).name).toBe('HOUMAO-claude-tester');
});

test.each<[string, (at: Stage) => Partial<RequestedBrainLaunch>, object]>([
  [
    'a file in place of the working directory',
    ({ requested }) => ({ workingDirectory: requested.brainPath }),
    { code: 'working_directory', rule: 'folder' },
  ],
  [
    'a relative working directory',
    () => ({ workingDirectory: 'work' }),
    { code: 'working_directory', rule: 'absolute' },
  ],
  [
    'a folder in place of the manifest',
    ({ folder }) => ({ brainPath: folder }),
    { code: 'brain_file', rule: 'file' },
  ],
  ['a role that leads elsewhere', () => ({ roleName: '../../x' }), { code: 'role_name' }],
  ['a role without its file', () => ({ roleName: 'roles' }), { code: 'role_missing' }],
  [
    'a mailbox on a server that nothing names',
    () => ({ mailbox: { transport: 'stalwart' } }),
    {
      code: 'mailbox_field',
      field: 'stalwart_base_url',
      rule: 'is needed, or jmap_url: neither is set',
    },
  ],
  [
    'an address that is none',
    () => ({ mailbox: { transport: 'stalwart', stalwart_jmap_url: 'mail.example' } }),
    { code: 'mailbox_field', field: 'stalwart_jmap_url', rule: 'must be an http or https address' },
  ],
  [
    'a field of folders',
    () => ({ mailbox: { transport: 'stalwart', filesystem_root: '/mail' } }),
    { code: 'mailbox_field', field: 'filesystem_root', rule: 'belongs to the transport filesystem' },
  ],
  [
    'a field of servers',
    () => ({ mailbox: { transport: 'filesystem', stalwart_base_url: 'https://mail.example' } }),
    { code: 'mailbox_field', field: 'stalwart_base_url', rule: 'belongs to the transport stalwart' },
  ],
  [
    'a relative mailbox root',
    () => ({ mailbox: { transport: 'filesystem', filesystem_root: 'mail' } }),
    { code: 'mailbox_field', field: 'filesystem_root', rule: 'must be an absolute path' },
  ],
])('%s is refused', (_what, change, trouble) => {
  const at = stage();
  expect(troubleOf(at, { ...at.requested, ...change(at) })).toEqual(trouble);
});

test('a manifest that is far too large is not read', () => {
  const at = stage();
  truncateSync(at.requested.brainPath, 2 ** 33);
  expect(troubleOf(at, at.requested)).toEqual({ code: 'brain_file', rule: 'size' });
});

test('a role that cannot be read is no role', () => {
  const at = stage();
  mkdirSync(join(at.requested.agentDefinition, 'roles/folder/system-prompt.md'), { recursive: true });
  expect(troubleOf(at, { ...at.requested, roleName: 'folder' })).toEqual({ code: 'role_missing' });
});

test('an environment file that is gone is reported before anything is launched', () => {
  const at = stage();
  rmSync(join(at.folder, 'agent.env'));
  expect(troubleOf(at, at.requested)).toEqual({
    code: 'environment_file',
    reason: 'cannot be read (ENOENT)',
  });
});

test('~ is the home of the user who launches', () => {
  const { requested, host } = stage();
  const short = {
    ...requested,
    workingDirectory: '~/work',
    agentDefinition: '~/definition',
    brainPath: '~/brain.yaml',
  };
  expect(checkBrainLaunch(short, api, host)).toMatchObject({
    workingDirectory: requested.workingDirectory,
    managed: { brainPath: requested.brainPath },
  });
});

test('the mailbox that is declared is the one that is asked for, but for what the launch sets itself', () => {
  const at = stage({ mailbox: { transport: 'filesystem', filesystem_root: '/declared', address: 'a@b.c' } });
  expect(checkBrainLaunch(at.requested, api, at.host).mailbox).toEqual({
    root: '/declared',
    address: 'a@b.c',
    principalId: null,
  });
  const own = { ...at.requested, mailbox: { filesystem_root: '~/own', principal_id: 'HOUMAO-p' } };
  expect(checkBrainLaunch(own, api, at.host).mailbox).toEqual({
    root: join(at.folder, 'own'),
    address: 'a@b.c',
    principalId: 'HOUMAO-p',
  });
});

test('a mailbox on a mail server is by what the launch sets, then the manifest, then the host', () => {
  const mailbox = { transport: 'stalwart', base_url: 'https://declared', address: 'a@b.c' };
  const at = stage({ mailbox });
  const nothing = { principalId: null, loginIdentity: null, credentialFile: null };
  expect(checkBrainLaunch(at.requested, api, at.host).mailbox).toEqual({
    ...nothing,
    jmapUrl: 'https://declared/jmap',
    managementUrl: 'https://declared/api',
    address: 'a@b.c',
  });
  const own = {
    stalwart_jmap_url: 'https://own/jmap',
    stalwart_login_identity: 'me',
    principal_id: 'HOUMAO-p',
  };
  expect(checkBrainLaunch({ ...at.requested, mailbox: own }, api, at.host).mailbox).toEqual({
    ...nothing,
    jmapUrl: 'https://own/jmap',
    managementUrl: 'https://declared/api',
    address: 'a@b.c',
    loginIdentity: 'me',
    principalId: 'HOUMAO-p',
  });
  const bare = stage();
  const host = hostIn(bare.folder, { HOUMAO_STALWART_BASE_URL: 'https://host' });
  expect(
    checkBrainLaunch({ ...bare.requested, mailbox: { transport: 'stalwart' } }, api, host).mailbox,
  ).toMatchObject({ jmapUrl: 'https://host/jmap', managementUrl: 'https://host/api', address: null });
  // Another transport takes nothing of what is declared for this one.
  const elsewhere = { transport: 'filesystem' as const, filesystem_root: '/mail' };
  expect(checkBrainLaunch({ ...at.requested, mailbox: elsewhere }, api, at.host).mailbox).toEqual({
    root: '/mail',
    address: null,
    principalId: null,
  });
});

test('an id that a fresh record has is taken', async () => {
  const { requested, host } = stage();
  const request = checkBrainLaunch({ ...requested, agentId: 'mine' }, api, host);
  await createSession({ ...request, tmux: false }, host);
  expect(() => checkBrainLaunch({ ...requested, agentId: 'mine' }, api, host)).toThrow(LaunchRefused);
  expect(checkBrainLaunch({ ...requested, agentId: 'other' }, api, host).managed?.agentId).toBe('other');
});
