import { describe, expect, it } from 'vitest';
import { type Machine, settingsObstacle } from '../../../../src/tools/gemini/gemini-settings.js';
import { toolAdapter } from '../../../../src/tools/tool-registry.js';

const ROOTS = { uid: 0, mode: 0o40755 };

/** A machine where root owns everything but the named folders. */
function machine(changes: {
  uid?: number | undefined;
  folders?: Record<string, { uid: number; mode: number }>;
  links?: Record<string, string>;
  files?: string[];
}): Machine {
  return {
    uid: 'uid' in changes ? changes.uid : 0,
    exists: (path) => changes.files?.includes(path) ?? false,
    realPath: (path) => changes.links?.[path] ?? path,
    stat: (path) => changes.folders?.[path] ?? ROOTS,
  };
}

const what = 'a reasoning level';
const place = { folder: '/srv/houmao/session', environment: {} };

describe('where Gemini CLI reads a settings file of ours', () => {
  it('is below folders that root alone can write', () => {
    expect(settingsObstacle(what, place, machine({}))).toBeNull();
    expect(
      settingsObstacle(what, place, machine({ folders: { '/srv/houmao': { uid: 0, mode: 0o40700 } } })),
    ).toBeNull();
  });

  it.each([1000, undefined])('is nowhere for user %s', (uid) => {
    expect(settingsObstacle(what, place, machine({ uid }))).toMatch(/does not run as root/);
  });

  it.each([
    ['another owner', '/srv', { uid: 1000, mode: 0o40755 }],
    ['a root of nobody', '/', { uid: 65_534, mode: 0o40755 }],
    ['a group that may write', '/srv/houmao', { uid: 0, mode: 0o40775 }],
    ['everybody may write', '/srv/houmao/session', { uid: 0, mode: 0o41777 }],
  ])('is not below a folder with %s', (_name, folder, stat) => {
    const obstacle = settingsObstacle(what, place, machine({ folders: { [folder]: stat } }));
    expect(obstacle).toContain(`only root can write, and ${folder} is not one`);
  });

  it('is not behind a link into a folder of another user', () => {
    const links = { [place.folder]: '/home/somebody/session' };
    const folders = { '/home/somebody': { uid: 1000, mode: 0o40755 } };
    expect(settingsObstacle(what, place, machine({ links, folders }))).toContain('/home/somebody');
    expect(settingsObstacle(what, place, machine({ links }))).toBeNull();
  });

  it("does not take the place of an administrator's settings", () => {
    const file = '/etc/gemini-cli/settings.json';
    expect(settingsObstacle(what, place, machine({ files: [file] }))).toContain(file);
    const environment = { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '/opt/defaults.json' };
    expect(settingsObstacle(what, { ...place, environment }, machine({}))).toContain(
      'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
    );
  });

  it('looks at the real machine: every user may write to /tmp', () => {
    const { reasoningObstacle } = toolAdapter('gemini');
    expect(reasoningObstacle({ folder: '/tmp', environment: {} })).toMatch(
      /does not run as root|only root can write/,
    );
  });
});

it.each(['claude', 'codex'] as const)('%s takes a reasoning level anywhere', (tool) => {
  expect(toolAdapter(tool).reasoningObstacle({ folder: '/tmp', environment: {} })).toBeNull();
});
