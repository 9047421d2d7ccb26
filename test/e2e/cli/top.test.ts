// `houmao-mgr top` on a real terminal, and where there is none.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manage, managerEnvironment, startManager } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

const tmux = usePrivateTmux();
const folder = temporaryFolder();
const environment = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, args);
let server = '';

beforeAll(async () => {
  const tool = ['--tool', 'claude', '--executable', standinProgram, '--workdir', folder];
  server = JSON.parse((await run('server', 'start', '--port', '0', '--json')).stdout).api_base_url;
  const launch = async (name: string, ...more: string[]) =>
    expect(
      (await run('agents', 'launch', ...tool, ...more, '--home', join(folder, name), '--name', name)).code,
    ).toBe(0);
  await launch('alpha', '--headless', '--no-tmux');
  await launch('beta', '--tui');
});
afterAll(async () => {
  await run('agents', 'stop', '--all');
  await run('server', 'stop', '--port', '0');
  tmux.remove();
});

/** A window with a shell in which `top` runs. */
class Window {
  readonly #target: string;
  readonly name: string;

  constructor(name: string, variables = '') {
    this.name = name;
    this.#target = `=${name}:`;
    tmux.run('new-session', '-d', '-x', '110', '-y', '24', '-s', name, 'sh');
    this.types('echo before-top');
    this.press('Enter');
    const places = `PATH='${environment.PATH}' HOME='${folder}' HOUMAO_GLOBAL_RUNTIME_DIR='${folder}/runtime' HOUMAO_GLOBAL_REGISTRY_DIR='${folder}/registry'`;
    this.types(`${places} ${variables} houmao-mgr top --server ${server}; echo over-$?`);
    this.press('Enter');
  }
  types(text: string): void {
    tmux.run('send-keys', '-t', this.#target, '-l', text);
  }
  press(...keys: string[]): void {
    tmux.run('send-keys', '-t', this.#target, ...keys);
  }
  screen(...flags: string[]): string {
    return tmux.run('capture-pane', '-p', ...flags, '-t', this.#target);
  }
  shows(pattern: RegExp): Promise<void> {
    return expect.poll(() => this.screen(), { timeout: 30_000 }).toMatch(pattern);
  }
  get isAlternate(): boolean {
    return tmux.run('display-message', '-p', '-t', this.#target, '#{alternate_on}').trim() === '1';
  }
  close(): void {
    tmux.run('kill-session', '-t', `=${this.name}`);
  }
}

describe('houmao-mgr top', () => {
  test('shows every agent as it changes, and acts on the chosen one', { timeout: 240_000 }, async () => {
    const window = new Window('acts');
    await window.shows(/^> ready +alpha /m);
    await window.shows(/^ {2}ready +beta /m);
    window.press('p');
    await window.shows(/^Prompt for alpha/m);
    window.types('[[slow=60000]] from the window');
    window.press('Enter');
    await window.shows(/^> working +alpha +\[\[slow=60000\]\] from the window/m);
    window.press('Enter');
    await window.shows(/^Works on\n {2}turn-\S+ \(queue\), for /m);
    window.press('i');
    await window.shows(/^Interrupt the turn of alpha\? y or n/m);
    window.press('y');
    await window.shows(/^> ready +alpha +(?!\[)\S/m);
    window.press('j');
    await window.shows(/^> ready +beta/m);
    window.press('p');
    await window.shows(/^Prompt for beta/m);
    window.types('go [[tool=Bash {"command":"ls"}]]');
    window.press('Enter');
    // It needs a person now, so it is the first one, and stays the chosen one.
    await window.shows(/1 needs you .*\n.*\n> needs you +beta/);
    window.press('a');
    await window.shows(/^Answer beta with a number/m);
    window.press('1');
    await window.shows(/The answer has reached it\./);
    await window.shows(/^> ready +beta/m);
    window.press('q');
    await window.shows(/^over-0$/m);
    window.close();
  });

  test.each([['q'], ['C-c']])('leaves the terminal as it was, by %s', async (key) => {
    const window = new Window(`leaves-${key}`);
    await window.shows(/^> ready/m);
    expect(window.isAlternate).toBe(true);
    window.press(key);
    await window.shows(/^over-0$/m);
    expect(window.isAlternate).toBe(false);
    expect(window.screen()).toMatch(/before-top$/m);
    // Keys are shown again.
    window.types('echo typed-later');
    await window.shows(/echo typed-later/);
    window.close();
  });

  test('has no colours with NO_COLOR', async () => {
    const colours = async (name: string, variables: string) => {
      const window = new Window(name, variables);
      await window.shows(/^> ready/m);
      const shown = window
        .screen('-e')
        .split('\n')
        .filter((line) => line.includes('alpha'));
      window.press('q');
      await window.shows(/^over-0$/m);
      window.close();
      return shown.some((line) => line.includes('\u001b[3'));
    };
    expect(await colours('plain', 'NO_COLOR=1')).toBe(false);
    expect(await colours('coloured', 'FORCE_COLOR=1')).toBe(true);
  });

  test('without a terminal prints the agents once; with --json an object per change', async () => {
    const { code, stdout } = await run('top', '--server', server);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^STATE +AGENT +WORKS ON/m);
    expect(stdout).toMatch(/^ready +alpha /m);
    const following = startManager(environment, ['top', '--json']);
    let printed = '';
    following.child.stdout?.on('data', (text: string) => {
      printed += text;
    });
    const prints = (pattern: RegExp) => expect.poll(() => printed, { timeout: 30_000 }).toMatch(pattern);
    try {
      await prints(/"version":"[0-9a-f]{16}"/);
      await run('agents', 'prompt', 'alpha', 'a change');
      await prints(/You said: a change/);
    } finally {
      following.child.kill('SIGINT');
    }
    const ran = await following.ran;
    const versions = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).version);
    expect(new Set(versions).size).toBe(versions.length);
    expect([ran.code, versions.length > 1]).toEqual([0, true]);
  });

  test('names the server that it needs', async () => {
    const nowhere = managerEnvironment(temporaryFolder());
    const { code, stderr } = await manage(nowhere, ['top', '--json']);
    expect([code, JSON.parse(stderr)]).toMatchObject([6, { error_code: 'no_server' }]);
  });
});
