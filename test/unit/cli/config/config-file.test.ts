import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changeConfig,
  configOf,
  configPath,
  emptyConfig,
  readConfig,
  settingNames,
} from '../../../../src/cli/config/config-file.js';
import { UnusableFile } from '../../../../src/foundation/faults.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const server = 'http://10.0.0.5:9889';
const trouble = (content: unknown): string => {
  const read = configOf(content);
  return 'trouble' in read ? read.trouble : 'none';
};

describe('its content', () => {
  test('that is empty sets nothing', () => {
    for (const nothing of [null, undefined, {}]) expect(configOf(nothing)).toEqual({ config: emptyConfig });
  });

  test('becomes contexts, the flags of a new agent and the fleet of its server', () => {
    const content = {
      context: 'build',
      contexts: { build: { server: `${server}/`, 'token-file': '~/t' }, other: { server } },
      tool: 'codex',
      'retain-days': 30,
      'log-size': '20M',
      'log-files': 0,
      fleet: { url: 'nats://127.0.0.1:4222', credentials: '/keys/ws1.nk', 'host-name': 'ws1', replicas: 3 },
    };
    expect(configOf(content)).toEqual({
      config: {
        context: 'build',
        contexts: new Map([
          ['build', { server, tokenFile: '~/t' }],
          ['other', { server, tokenFile: null }],
        ]),
        settings: new Map([
          ['tool', 'codex'],
          ['retain-days', '30'],
          ['log-size', '20M'],
          ['log-files', '0'],
        ]),
        newAgent: { tool: 'codex', retainDays: 30, logSize: 20 * 1024 ** 2, logFiles: 0 },
        fleet: {
          url: 'nats://127.0.0.1:4222',
          credentials: '/keys/ws1.nk',
          ca: null,
          hostName: 'ws1',
          replicas: 3,
        },
      },
    });
  });

  test('says never as the flag does', () => {
    expect(configOf({ 'retain-days': 'never' })).toMatchObject({
      config: { newAgent: { retainDays: 'never' } },
    });
  });

  test('says here for this machine', () => {
    expect(configOf({ context: 'here' })).toMatchObject({ config: { context: null } });
  });

  test.each<[unknown, RegExp]>([
    [[], /must be settings/],
    ['tool', /must be settings/],
    [{ tols: 'claude' }, /^tols is no setting; there are context, contexts, fleet, tool/],
    [{ fleet: 'nats://127.0.0.1' }, /^fleet must have a `url`/],
    [{ fleet: { url: 'nats://127.0.0.1', key: '~' } }, /^fleet has key; there are url/],
    [{ fleet: { url: 4222 } }, /^the url of fleet must be/],
    [{ fleet: { url: 'nats://127.0.0.1,x' } }, /^the url of fleet must be/],
    [{ fleet: { url: 'nats://127.0.0.1', replicas: 2 } }, /^the replicas of fleet must be/],
    [{ fleet: { url: 'nats://127.0.0.1', 'host-name': 'Ws1' } }, /^the host-name of fleet must have/],
    [{ fleet: { url: 'nats://127.0.0.1', ca: '' } }, /^the ca of fleet must be a path/],
    [{ tool: 'vim' }, /^tool is vim\. It must be one of claude/],
    [{ 'retain-days': 0 }, /^retain-days is 0\./],
    [{ 'log-size': '1T' }, /^log-size is 1T\./],
    [{ context: 'build' }, /^context is build, and contexts has none/],
    [{ contexts: [] }, /^contexts must be names/],
    [{ contexts: { build: server } }, /^the context build must have a `server`/],
    [{ contexts: { build: { server: 'ftp://x' } } }, /^the server of the context build must be a URL/],
    [{ contexts: { build: { server, 'token-file': 7 } } }, /^the token-file of the context build/],
    [{ contexts: { build: { server, token: 'x' } } }, /^the context build has token;/],
    [{ contexts: { here: { server } } }, /here stands for this machine/],
    [{ contexts: { '-x': { server } } }, /begins with a letter/],
  ])('%j is refused by name and rule', (content, rule) => {
    expect(trouble(content)).toMatch(rule);
  });

  test('is refused or read, whatever it is', () => {
    const value = fc.oneof(fc.anything(), fc.string(), fc.integer());
    const content = fc.dictionary(fc.constantFrom('context', 'contexts', ...settingNames), value);
    fc.assert(
      fc.property(fc.oneof(content, fc.anything()), (given) => {
        const read = configOf(given);
        expect('trouble' in read || read.config.contexts instanceof Map).toBe(true);
      }),
    );
  });
});

describe('the file', () => {
  const place = (): string => join(temporaryFolder(), 'houmao', 'config.yaml');

  test('stands where other programs have theirs', () => {
    expect(configPath({ HOME: '/home/me' })).toBe('/home/me/.config/houmao/config.yaml');
    expect(configPath({ HOME: '/home/me', XDG_CONFIG_HOME: '/x' })).toBe('/x/houmao/config.yaml');
  });

  test('that is not there sets nothing', () => expect(readConfig(place())).toEqual(emptyConfig));

  test('is made for its user alone, and keeps comments and order when it is changed', () => {
    const path = place();
    changeConfig(path, (document) => document.set('tool', 'claude'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const mine = '# mine\ntool: claude # the usual one\nlog-files: 3\n';
    writeFileSync(path, mine);
    changeConfig(path, (document) => document.set('retain-days', 30));
    expect(readFileSync(path, 'utf8')).toBe(`${mine}retain-days: 30\n`);
  });

  test('that is a link stays one', () => {
    const path = place();
    const folder = join(path, '..', '..');
    mkdirSync(join(path, '..'));
    writeFileSync(join(folder, 'dotfiles.yaml'), '# comments only\n');
    symlinkSync('../dotfiles.yaml', path);
    changeConfig(path, (document) => document.set('tool', 'codex'));
    expect(realpathSync(path)).toBe(realpathSync(join(folder, 'dotfiles.yaml')));
    expect(readConfig(path).newAgent).toEqual({ tool: 'codex' });
  });

  test.each([
    ['no YAML', 'tool: [claude', /is no YAML: .* line 1/],
    ['settings that there are not', 'tols: claude\n', /tols is no setting/],
  ])('with %s is named and left as it is', (_what, text, reason) => {
    const path = place();
    mkdirSync(join(path, '..'));
    writeFileSync(path, text);
    for (const use of [
      () => readConfig(path),
      () => changeConfig(path, (document) => document.set('tool', 'codex')),
    ]) {
      expect(use).toThrow(UnusableFile);
      expect(use).toThrow(reason);
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('is left as it is by a change that would make it faulty', () => {
    const path = place();
    changeConfig(path, (document) => document.set('tool', 'codex'));
    expect(() => changeConfig(path, (document) => document.set('tool', 'vim'))).toThrow(UnusableFile);
    expect(readConfig(path).newAgent).toEqual({ tool: 'codex' });
  });

  test('that is a folder is named', () => {
    const path = place();
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o700);
    expect(() => readConfig(path)).toThrow(UnusableFile);
  });
});
