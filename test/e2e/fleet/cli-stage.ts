// Machines on which a person works with `houmao-mgr`, alone or as hosts of a fleet.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { TestEngine } from '../../support/fleet/engine.js';
import { inFleet } from '../../support/fleet/hosts.js';
import { call } from '../../support/http.js';
import { manage, managerEnvironment, type RunningManager, startManager } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

/** A comment at the beginning of config.yaml. */
export const comment = '# of this person\n';

/** A machine on which a person works; nothing runs yet. */
export function machine(environmentOf: (folder: string) => NodeJS.ProcessEnv = managerEnvironment) {
  const folder = temporaryFolder();
  const environment = environmentOf(folder);
  const config = join(folder, '.config', 'houmao', 'config.yaml');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, `${comment}retain-days: 9\n`);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await manage(environment, [...args, '--json']);
    const read = (text: string) => JSON.parse(text || '{}');
    return { code, stderr, answer: code === 0 ? read(stdout) : {}, failure: code === 0 ? {} : read(stderr) };
  };
  /** @returns the answer; fails where the command does. */
  const done = async (...args: string[]) => {
    const { code, stderr, answer } = await run(...args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return answer;
  };
  /** Starts a command for people. It ends with the test. */
  const begin = (...args: string[]): RunningManager => {
    const manager = startManager(environment, args);
    onTestFinished(async () => {
      manager.child.kill('SIGKILL');
      await manager.ran;
    });
    return manager;
  };
  return { folder, environment, config, run, done, begin };
}

/** A host of the fleet. */
export function fleetHost(name: string, engine: TestEngine) {
  const { environment: ofTmux } = ownTmux().tmux;
  const here = machine((folder) => {
    const { PATH, HOME, ...ours } = managerEnvironment(folder);
    return { ...ours, ...ofTmux, PATH, HOME, HOUMAO_STRICT_RESPONSES: '1' };
  });
  let url = '';
  const ask = (...given: [method: string, path: string]) => call(url, ...given);
  const agents: string[] = [];
  return {
    ...here,
    name,
    ask,
    join: () =>
      here.done('fleet', 'join', engine.url, '--credentials', engine.credentials(name), '--host-name', name),
    up: async () => {
      url = (await here.done('server', 'start', '--port', '0')).api_base_url;
      await inFleet({ ask });
    },
    down: () => here.done('server', 'stop'),
    launch: async (agent: string, ...flags: string[]) => {
      const tool = ['--tool', 'claude', '--executable', standinProgram];
      const place = ['--home', join(here.folder, `home-${agent}`), '--workdir', here.folder];
      await here.done('agents', 'launch', ...tool, ...place, '--name', agent, ...flags);
      agents.push(agent);
    },
    end: async () => {
      for (const agent of agents) await here.run('agents', 'stop', agent);
      await here.run('server', 'stop');
    },
  };
}

/** The first id in a text, such as that of a command. */
export const idIn = (text: string, kind: 'fcmd' | 'turn'): string =>
  new RegExp(`${kind}-[0-9a-f]+`).exec(text)?.[0] ?? `no ${kind} in ${text}`;
/** The command that a text names for a remedy, as a shell would run it. */
export const wayIn = (text: string, what: string): string[] => {
  const [, words] = new RegExp(`${what}:? +\\S*houmao-mgr (.+)$`, 'mi').exec(text) ?? [];
  return words?.split(' ') ?? [`no way to ${what} in ${text}`];
};
