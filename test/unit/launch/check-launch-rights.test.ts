import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { needsRoot } from '../../support/run/needs.js';

const built = (path: string): string => JSON.stringify(join(import.meta.dirname, '../../../dist/src', path));

/** A folder that everybody may use, with one in it that root alone may use. Other users cannot enter the folder of the run. */
let open: string;
beforeEach(() => {
  open = mkdtempSync('/tmp/houmao-rights-');
  chmodSync(open, 0o777);
  mkdirSync(join(open, 'closed', 'inner'), { recursive: true });
  chmodSync(join(open, 'closed'), 0o700);
});
afterEach(() => rmSync(open, { recursive: true }));

/** The refusal of a launch for the user `nobody`, who can read nothing of this checkout: it is loaded before. */
function refusedAsNobody(changes: object): unknown {
  const requested = {
    tool: 'claude',
    name: 'x',
    role: null,
    model: null,
    reasoningLevel: null,
    workingDirectory: open,
    homePath: open,
    executable: '/bin/sh',
    variables: [],
    toolArguments: [],
    unattended: false,
    tmux: false,
    terminal: false,
    hooks: false,
    skills: false,
    mailbox: null,
    turnTimeLimitSeconds: null,
    ...changes,
  };
  const host = { environment: {}, home: open, runtimeRoot: open, registryRoot: join(open, 'registry') };
  const program = `
    const { checkLaunch } = await import(${built('launch/check-launch.js')});
    process.setgid(65534);
    process.setuid(65534);
    let trouble = null;
    try {
      checkLaunch(${JSON.stringify(requested)}, ${JSON.stringify(host)});
    } catch (error) {
      trouble = error.trouble ?? { thrown: error.stack };
    }
    console.log(JSON.stringify(trouble));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test(
  'a folder that another user cannot use is refused with what is in the way and whose it is',
  needsRoot,
  () => {
    const closed = join(open, 'closed');
    const denied = (verb: string, folder: string) => `nobody cannot ${verb} ${folder}, which belongs to root`;
    for (const path of [closed, join(closed, 'inner'), join(closed, 'inner', 'deeper')])
      expect(refusedAsNobody({ workingDirectory: path })).toEqual({
        code: 'folder_denied',
        folder: 'working directory',
        path,
        reason: denied('use', closed),
      });
    expect(refusedAsNobody({ homePath: closed })).toMatchObject({ code: 'folder_denied', folder: 'home' });
    chmodSync(open, 0o755);
    const missing = join(open, 'new', 'home');
    expect(refusedAsNobody({ homePath: missing })).toEqual({
      code: 'folder_denied',
      folder: 'home',
      path: missing,
      reason: denied('write to', open),
    });
    expect(refusedAsNobody({})).toBeNull();
    expect(refusedAsNobody({ workingDirectory: join(open, 'nowhere') })).toMatchObject({ code: 'no_folder' });
  },
);
