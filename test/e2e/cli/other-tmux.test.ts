// An agent is on the tmux server that its launch meant, `tmux -L work` or one of another TMUX_TMPDIR. Who looks at it, prompts it or
// stops it from another shell means another server, and is not to take it for gone.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const work = ownTmux();
const plain = ownTmux();
let folder = '';
let [there, here]: NodeJS.ProcessEnv[] = [];
const run = (...args: string[]) => manage(here!, args);

beforeEach(() => {
  folder = temporaryFolder(work);
  const { PATH, HOME, ...ours } = managerEnvironment(folder);
  [there, here] = [work, plain].map(({ tmux }) => ({ ...ours, ...tmux.environment, PATH, HOME }));
});
afterEach(async () => {
  await manage(there!, ['agents', 'stop', 'alpha']);
});

/** @param recorded whether its manifest says where it is; those of earlier releases do not. */
async function launched(kind: string, recorded: boolean) {
  const { code, stdout } = await manage(there!, [
    ...[
      'agents',
      'launch',
      '--tool',
      'claude',
      kind,
      '--name',
      'alpha',
      '--json',
      '--executable',
      standinProgram,
    ],
    ...['--workdir', folder, '--home', join(folder, 'home')],
  ]);
  expect(code).toBe(0);
  const reported = JSON.parse(stdout);
  if (!recorded) {
    const manifest = JSON.parse(readFileSync(reported.manifest_path, 'utf8'));
    delete manifest.backend_state.tmux_server;
    writeFileSync(reported.manifest_path, JSON.stringify(manifest));
  }
  return { url: reported.gateway_url as string, manifest: reported.manifest_path as string };
}
const hasSession = (): boolean => {
  try {
    return work.run('list-sessions', '-F', '#{session_name}').includes('HOUMAO-alpha');
  } catch {
    // It has ended with its last session.
    return false;
  }
};

describe.each([['--tui'], ['--headless']])('an agent %s', (kind) => {
  describe.each([
    ['whose record names its server', true],
    ['whose record is of an earlier release', false],
  ])('%s', (_name, recorded) => {
    test('is well to the doctor, takes prompts of a new gateway, and is stopped', async () => {
      await launched(kind, recorded);
      expect(hasSession()).toBe(true);
      expect(await run('agents', 'doctor', 'alpha', '--json')).toMatchObject({ code: 0 });
      const restarted = await run(
        'agents',
        'gateway',
        'attach',
        'alpha',
        '--restart',
        '--background',
        '--json',
      );
      expect(restarted).toMatchObject({ code: 0 });
      expect((await run('agents', 'prompt', 'alpha', 'hello')).stdout).toContain('You said: hello');
      const stopped = await run('agents', 'stop', 'alpha', '--json');
      expect(JSON.parse(stopped.stdout)).toMatchObject({ tmux_stopped: true });
      expect(hasSession()).toBe(false);
    });

    test('is listed and stopped by a server', async () => {
      await launched(kind, recorded);
      const { stdout } = await run('server', 'start', '--port', '0', '--json');
      onTestFinished(async () => void (await run('server', 'stop')));
      const at = `${JSON.parse(stdout).api_base_url}/houmao/agents/alpha`;
      const seen = await call(at, 'GET', '/state');
      expect([seen.status, seen.body.availability]).toEqual([200, 'available']);
      expect(await call(at, 'POST', '/stop')).toMatchObject({ status: 200 });
      expect(hasSession()).toBe(false);
    });

    test('keeps its files while its session runs', async () => {
      const { manifest } = await launched(kind, recorded);
      const record = join(folder, 'registry', 'live_agents');
      // As after a stop that did not find the session.
      writeFileSync(join(manifest, '..', 'stopped-at'), '2026-01-01T00:00:00.000Z\n');
      const before = readFileSync(manifest, 'utf8');
      await manage({ ...here, HOUMAO_GLOBAL_REGISTRY_DIR: `${record}-none` }, ['agents', 'prune', '--yes']);
      expect(readFileSync(manifest, 'utf8')).toBe(before);
    });
  });
});
