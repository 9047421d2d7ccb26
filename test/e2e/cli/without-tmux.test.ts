// tmux is there, and not for everybody: a gateway, or who looks at an agent, was started without its folder on PATH.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const tmux = ownTmux();
let environment: NodeJS.ProcessEnv = {};
const run = (...args: string[]) => manage(environment, args);
const agents = (...args: string[]) => run('agents', ...args);
/** In surroundings that lack it. */
const bare = (...args: string[]) => {
  const PATH = join(environment.HOME ?? '', '.programs');
  return manage({ ...environment, PATH }, ['agents', ...args]);
};
interface Reported {
  check: string;
  state: string;
  detail: string;
  remedy: string | null;
}
const troubles = ({ stdout }: { stdout: string }): Reported[] =>
  JSON.parse(stdout).agents[0].findings.filter(({ state }: Reported) => state !== 'ok');

beforeEach(() => {
  const folder = temporaryFolder(tmux);
  const { PATH, HOME, ...ours } = managerEnvironment(folder);
  environment = { ...ours, ...tmux.tmux.environment, PATH, HOME };
});
afterEach(async () => {
  await agents('stop', 'alpha');
});

async function launch(...flags: string[]): Promise<void> {
  const { HOME: folder = '' } = environment;
  const tool = ['--tool', 'claude', '--executable', standinProgram, '--home', join(folder, 'home')];
  const launched = await agents('launch', ...tool, '--workdir', folder, '--name', 'alpha', ...flags);
  expect(launched).toMatchObject({ code: 0 });
}

test('a gateway that does not find tmux is named by the doctor, and the remedy works', async () => {
  await launch('--headless');
  expect(await bare('gateway', 'attach', 'alpha', '--background', '--restart')).toMatchObject({ code: 0 });
  const command = 'houmao-mgr agents gateway attach alpha --restart';
  const looked = await agents('doctor', 'alpha', '--json');
  expect(looked.code).toBe(1);
  expect(troubles(looked)).toEqual([
    {
      check: 'agent, by its gateway',
      state: 'failed',
      detail: `it does not find tmux on the PATH that it was started with (${join(environment.HOME!, '.programs')})`,
      remedy: `Restart it from here: ${command}`,
    },
  ]);
  expect(await run(...command.split(' ').slice(1))).toMatchObject({ code: 0 });
  expect(troubles(await agents('doctor', 'alpha', '--json'))).toEqual([]);
  expect((await agents('prompt', 'alpha', 'hello')).stdout).toContain('You said: hello');
});

test('a user without tmux is asked to install it, in a terminal too, and not to stop the agent', async () => {
  await launch('--tui');
  const looked = await bare('doctor', 'alpha', '--json');
  expect(looked.code).toBe(1);
  const [agent, ...more] = troubles(looked);
  expect([agent?.check, more]).toEqual(['agent', []]);
  expect(agent?.detail).toMatch(/tmux .* found/);
  expect(agent?.remedy).toBe('Install tmux, or put its folder on PATH, then look again.');

  expect(await bare('gateway', 'attach', 'alpha', '--background', '--restart')).toMatchObject({ code: 0 });
  const screen = await agents('screen', 'alpha');
  expect([screen.code, screen.stdout]).toEqual([1, '']);
  expect(screen.stderr).toMatch(/^houmao-mgr: The terminal cannot be read: .*tmux .* found/);
});
