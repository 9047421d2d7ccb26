import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { manage, managerEnvironment, type Ran } from '../../support/manager.js';
import { type OwnTmux, ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

/** A managed-agent server of the host, for all tests of a file, and the program that operators use there. */
export interface ServerStage {
  readonly folder: string;
  readonly tmux: OwnTmux;
  readonly environment: NodeJS.ProcessEnv;
  /** Where the server is. */
  readonly url: string;
  /** Runs `houmao-mgr`. */
  run(...args: string[]): Promise<Ran>;
  agents(...args: string[]): Promise<Ran>;
  /** An agent without a gateway; it is stopped after the test. */
  launch(...flags: string[]): Promise<{ name: string; root: string }>;
}

export function serverStage(): ServerStage {
  const folder = temporaryFolder();
  const tmux = ownTmux();
  const { PATH, HOME, ...ours } = managerEnvironment(folder);
  const environment: NodeJS.ProcessEnv = { ...ours, ...tmux.tmux.environment, PATH, HOME };
  const run = (...args: string[]) => manage(environment, args);
  const agents = (...args: string[]) => run('agents', ...args);
  let url = '';
  beforeAll(async () => {
    const started = await run('server', 'start', '--port', '0', '--json');
    url = JSON.parse(started.stdout).api_base_url;
  });
  afterAll(async () => {
    await run('server', 'stop');
  });
  let launches = 0;
  return {
    folder,
    tmux,
    environment,
    run,
    agents,
    get url() {
      return url;
    },
    launch: async (...flags) => {
      launches += 1;
      const name = `agent${launches}`;
      const tool = [
        '--tool',
        'claude',
        '--executable',
        standinProgram,
        '--home',
        join(folder, `home-${name}`),
      ];
      const launched = await agents(
        'launch',
        ...[...tool, '--workdir', folder, '--name', name, '--no-gateway', '--json', ...flags],
      );
      expect([launched.code, launched.stderr]).toEqual([0, '']);
      onTestFinished(async () => void (await agents('stop', name)));
      return { name, root: JSON.parse(launched.stdout).session_root };
    },
  };
}
