// `houmao-mgr` on two hosts of a fleet, over a real NATS server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../../src/cli/words/command-failure.js';
import { fleetEngine } from '../../support/fleet/engine.js';
import { knows } from '../../support/fleet/hosts.js';
import { manage } from '../../support/manager.js';
import { addressOf } from '../cli/mail-stage.js';
import { comment, fleetHost, idIn, machine, wayIn } from './cli-stage.js';

const engine = fleetEngine('ws1', 'ws2');
const ws1 = fleetHost('ws1', engine);
const ws2 = fleetHost('ws2', engine);
const mailbox = join(ws2.folder, 'mailbox');

beforeAll(async () => {
  await engine.start();
  for (const host of [ws1, ws2]) {
    await host.join();
    await host.up();
  }
  await ws1.launch('alpha', '--headless', '--no-tmux');
  await ws2.launch('beta', '--headless', '--no-tmux', '--mailbox', mailbox);
  await ws2.launch('term', '--tui');
  await knows(ws1, 'ws1', 'ws2');
}, 240_000);
afterAll(async () => {
  await ws1.end();
  await ws2.end();
}, 120_000);

const slow = { timeout: 180_000 };

describe('fleet join', () => {
  test('writes the fleet and keeps the rest of the file; the server that starts then is in it', async () => {
    const text = readFileSync(ws1.config, 'utf8');
    expect(text.startsWith(`${comment}retain-days: 9\nfleet:\n`)).toBe(true);
    expect(text).toContain(`url: ${engine.url}\n`);
    expect(await ws1.done('fleet', 'status')).toMatchObject({
      state: 'online',
      host: 'ws1',
      address: engine.url,
      events_waiting: expect.any(Number),
    });
    const { stdout } = await manage(ws1.environment, ['fleet', 'status']);
    expect(stdout).toContain(`ws1 is in the fleet at ${engine.url} since `);
    const { hosts } = await ws1.done('fleet', 'hosts');
    expect(hosts).toMatchObject([
      { host: 'ws1', presence: 'online', is_this: true },
      { host: 'ws2', presence: 'online', is_this: false },
    ]);
    const listed = await manage(ws1.environment, ['fleet', 'hosts']);
    expect(listed.stdout.split('\n').map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ['HOST', 'STATE'],
      ['ws1', 'online'],
      ['ws2', 'online'],
      [''],
    ]);
  });
});

describe('an agent of another host, without --server', () => {
  test('is prompted, and its request and turn are seen from here', slow, async () => {
    const { code, stdout } = await manage(ws1.environment, ['agents', 'prompt', 'beta@ws2', 'hello']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^You said: hello /)]);
    const { answer, request } = await ws1.done('agents', 'prompt', 'beta@ws2', 'once more');
    expect(answer).toContain('once more');
    const { request_id: id, turn } = request;
    expect(await ws1.done('agents', 'requests', 'show', 'beta@ws2', id)).toMatchObject({
      state: 'completed',
    });
    expect(await ws1.done('agents', 'requests', 'wait', 'beta@ws2', id)).toMatchObject({ answer });
    const { requests } = await ws1.done('agents', 'requests', 'list', 'beta@ws2');
    expect(requests[0]).toMatchObject({ state: 'completed', turn: { turn_id: turn.turn_id } });
    expect(requests).toHaveLength(2);
    for (const verb of ['get', 'wait'])
      expect(JSON.stringify(await ws1.done('agents', 'turns', verb, 'beta@ws2', turn.turn_id))).toContain(
        answer,
      );
    const { events } = await ws1.done('agents', 'events', 'beta@ws2', '--kind', 'turn_ended');
    expect(events.at(-1)).toMatchObject({ kind: 'turn_ended', data: { turn_id: turn.turn_id } });
    const { path } = await ws1.done('agents', 'logs', 'beta@ws2');
    expect(path.startsWith(ws2.folder)).toBe(true);
    const { agents } = await ws1.done('agents', 'usage', 'beta@ws2');
    expect(agents).toMatchObject([{ agent_name: 'beta@ws2', days: [{ turns: { completed: 2 } }] }]);
  });

  test('is followed and interrupted; a prompt behind that turn is taken back', slow, async () => {
    const prompt = ws1.begin('agents', 'prompt', 'beta@ws2', '[[slow=60000]] long');
    const turn = idIn(await prompt.saying(/Delivered: /), 'turn');
    const follow = ws1.begin('agents', 'follow', 'beta@ws2');
    await follow.saying(new RegExp(turn));
    const { request_id: id } = await ws1.done('agents', 'prompt', 'beta@ws2', 'behind', '--no-wait');
    expect(idIn(id, 'fcmd')).toBe(id);
    expect(await ws1.done('agents', 'requests', 'cancel', 'beta@ws2', id)).toMatchObject({
      state: 'cancelled',
    });
    expect((await ws1.run('agents', 'interrupt', 'beta@ws2', '--turn', turn)).code).toBe(0);
    await follow.saying(/interrupted/);
    follow.child.kill('SIGINT');
    expect((await follow.ran).code).toBe(exitCodes.stopped);
    expect((await prompt.ran).code).toBe(exitCodes.failed);
    expect(await ws1.done('agents', 'requests', 'show', 'beta@ws2', id)).toMatchObject({
      state: 'cancelled',
    });
  });

  test('shows its screen, and takes keys', slow, async () => {
    await expect
      .poll(async () => (await ws1.run('agents', 'screen', 'term@ws2')).answer.surface?.ready_posture)
      .toBe('yes');
    expect((await ws1.run('agents', 'prompt', 'term@ws2', 'typed')).answer.answer).toContain('typed');
    expect((await ws1.run('agents', 'keys', 'term@ws2', 'a draft')).code).toBe(0);
    await expect
      .poll(async () => (await ws1.run('agents', 'screen', 'term@ws2')).answer.surface?.editing_input)
      .toBe('yes');
    expect((await ws1.run('agents', 'keys', 'term@ws2', '<[C-u]>')).code).toBe(0);
    expect((await ws1.run('agents', 'screen', 'beta@ws2')).code).toBe(exitCodes.failed);
  });

  test('has reminders', slow, async () => {
    const reminders = (...args: string[]) => ws1.done('agents', 'gateway', 'reminders', ...args);
    const made = await reminders('create', 'beta@ws2', '--prompt', 'later', '--in', '2h', '--title', 'Later');
    const list = async () => (await reminders('list', 'beta@ws2')).reminders;
    expect(await list()).toMatchObject([{ title: 'Later' }]);
    const [{ reminder_id: id }] = await list();
    expect(JSON.stringify(made)).toContain(id);
    await reminders('set', 'beta@ws2', id, '--title', 'Much later');
    expect(await reminders('get', 'beta@ws2', id)).toMatchObject({ title: 'Much later' });
    await reminders('remove', 'beta@ws2', id);
    expect(await list()).toEqual([]);
  });

  test('has its gateway paused, resumed, stopped and started', slow, async () => {
    const gateway = (verb: string) => ws1.done('agents', 'gateway', verb, 'beta@ws2');
    await gateway('pause');
    expect(await gateway('status')).toMatchObject({ queue: { paused: true } });
    await gateway('resume');
    expect(await gateway('status')).toMatchObject({ queue: { paused: false } });
    const detached = await ws1.run('agents', 'gateway', 'detach', 'beta@ws2');
    expect(detached.answer).toMatchObject({ stopped: true });
    expect((await ws1.run('agents', 'gateway', 'attach', 'beta@ws2')).answer).toMatchObject({
      gateway_port: expect.any(Number),
    });
  });

  test('sends and reads mail, also when it is named by a flag', slow, async () => {
    const letter = ['--to', addressOf('beta'), '--subject', 'The parser', '--body-content', 'Right?'];
    await ws1.done('agents', 'mail', 'send', 'beta@ws2', ...letter);
    const { messages } = await ws1.done('agents', 'mail', 'list', 'beta@ws2');
    expect(messages).toMatchObject([{ subject: 'The parser' }]);
    const ref = ['--message-ref', messages[0].message_ref];
    expect((await ws1.done('agents', 'mail', 'read', 'beta@ws2', ...ref)).message).toMatchObject({
      body_text: 'Right?',
    });
    const status = await ws1.done('agents', 'single', '--agent-name', 'beta@ws2', 'mail', 'status');
    expect(status.address).toBe(addressOf('beta'));
  });

  test('is stopped on its own host', slow, async () => {
    await ws2.launch('gamma', '--headless', '--no-tmux');
    expect((await ws1.done('agents', 'stop', 'gamma@ws2')).agent_name).toContain('gamma');
    const { agents } = await ws2.done('agents', 'list');
    const names = agents.map(({ agent_name }: { agent_name: string }) => agent_name);
    expect(names).toEqual(['HOUMAO-beta', 'HOUMAO-term']);
  });

  test.each([
    [['agents', 'attach', 'beta@ws2']],
    [['agents', 'restart', 'beta@ws2']],
    [['agents', 'rm', 'beta@ws2']],
    [['rm', 'beta@ws2']],
  ])('is none for %j, which works on this machine', async (args) => {
    const { code, stderr } = await manage(ws1.environment, args);
    expect([code, stderr]).toEqual([exitCodes.usage, expect.stringContaining('host ws2')]);
  });

  test('is not reached where no server runs', async () => {
    const { code, failure } = await machine().run('agents', 'prompt', 'beta@ws2', 'hello');
    expect([code, failure.error_code]).toEqual([exitCodes.unreachable, 'no_server']);
  });
});

describe('a prompt for an agent whose host is away', () => {
  test(
    'is kept: the command waits, and after Ctrl-C its ways lead back, before and after the host is back',
    slow,
    async () => {
      await ws2.down();
      await knows(ws1, 'ws1');
      const prompts = ['first', 'second'].map((text) => ws1.begin('agents', 'prompt', 'beta@ws2', text));
      const left: string[] = [];
      for (const prompt of prompts) {
        await prompt.saying(/host ws2 is not in the fleet now/);
        prompt.child.kill('SIGINT');
        const { code, stderr } = await prompt.ran;
        expect(code).toBe(exitCodes.stopped);
        left.push(stderr);
      }
      const [first = '', second = ''] = left;
      expect(wayIn(first, 'wait for its answer').slice(0, 5)).toEqual([
        ...['agents', 'requests', 'wait', 'beta@ws2'],
        idIn(first, 'fcmd'),
      ]);
      expect(await ws1.done(...wayIn(first, 'look at it'))).toMatchObject({ state: 'accepted', turn: null });
      expect(await ws1.done(...wayIn(second, 'take it back while it waits'))).toMatchObject({
        state: 'cancelled',
      });
      const waiting = ws1.begin(...wayIn(first, 'wait for its answer'));
      await waiting.saying(/Waiting: /);
      const list = await manage(ws1.environment, ['fleet', 'commands', 'beta@ws2']);
      expect(list.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1, 3))).toEqual([
        ['AGENT', 'STATE'],
        ['beta@ws2', 'accepted'],
        [],
      ]);
      expect(list.stdout).toMatch(/ first$/m);
      const { commands } = await ws1.done('fleet', 'commands', '--all', '--limit', '2');
      const states = commands.map((one: Record<string, string>) => `${one.prompt_preview} ${one.state}`);
      expect(states.sort()).toEqual(['first accepted', 'second cancelled']);
      const refused = await ws1.run('agents', 'requests', 'list', 'beta@ws2');
      expect([refused.code, refused.failure.error_code]).toEqual([exitCodes.unreachable, 'host_away']);
      expect(refused.failure.remedies.map(({ command }: { command: string }) => command)).toContain(
        'houmao-mgr fleet commands',
      );
      const third = await manage(ws1.environment, ['agents', 'prompt', 'beta@ws2', 'third', '--no-wait']);
      const id = third.stdout.trim();
      expect([id, third.stderr]).toEqual([idIn(id, 'fcmd'), expect.stringContaining('beta@ws2 is away')]);
      await ws2.up();
      expect(await waiting.ran).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^You said: first /),
      });
      const again = await ws1.done('agents', 'requests', 'wait', 'beta@ws2', id);
      expect(again.answer).toContain('third');
      expect((await ws1.run(...wayIn(first, 'take it back while it waits'))).code).toBe(exitCodes.failed);
      const { requests } = await ws2.done('agents', 'requests', 'list', 'beta');
      const given = requests.map(({ prompt_preview }: { prompt_preview: string }) => prompt_preview);
      expect(given.slice(0, 2)).toEqual(['third', 'first']);
      expect(given).not.toContain('second');
    },
  );

  test('lapses at its deadline while its host is away, and never runs', slow, async () => {
    await ws2.down();
    await knows(ws1, 'ws1');
    const { code, failure } = await ws1.run('agents', 'prompt', 'beta@ws2', 'lapsed', '--deadline', '2s');
    expect([code, failure.error_code]).toEqual([exitCodes.failed, 'lapsed']);
    const kept = ['agents', 'prompt', 'beta@ws2', 'in time', '--deadline', '1h', '--no-wait'];
    const { request_id: id } = await ws1.done(...kept);
    await ws2.up();
    expect((await ws1.done('agents', 'requests', 'wait', 'beta@ws2', id)).answer).toContain('in time');
    const { requests } = await ws2.done('agents', 'requests', 'list', 'beta');
    const given = requests.map(({ prompt_preview }: { prompt_preview: string }) => prompt_preview);
    expect(given[0]).toBe('in time');
    expect(given).not.toContain('lapsed');
  });

  test('is refused at once for a deadline that has passed, and for a list without a host', async () => {
    const late = ['agents', 'prompt', 'alpha', 'late', '--deadline', '2026-01-01T00:00:00Z'];
    expect((await ws1.run(...late)).code).toBe(exitCodes.usage);
    expect((await ws1.run('fleet', 'commands', 'beta')).code).toBe(exitCodes.usage);
  });

  test('is refused for a host that the fleet never had', async () => {
    const commands = [
      ['agents', 'prompt', 'beta@ws9', 'hello'],
      ['fleet', 'commands', 'beta@ws9'],
    ];
    for (const command of commands) {
      const { code, failure } = await ws1.run(...command);
      expect(code).toBe(exitCodes.notFound);
      expect(failure.detail).toContain('ws1, ws2');
      expect(failure.detail).not.toContain('gateway');
    }
  });
});

test(
  'fleet events --follow shows those of both hosts, and the command that it prints goes on behind them',
  slow,
  async () => {
    interface Seen {
      readonly id: string;
      readonly host: string;
      readonly event: { readonly kind: string };
    }
    /** Follows until an event of each host has been seen, after `cause`. */
    const follow = async (args: string[], cause: () => Promise<void>) => {
      const manager = ws1.begin(...args, '--json');
      const seen: Seen[] = [];
      let rest = '';
      const both = new Promise<void>((resolve) =>
        manager.child.stdout?.on('data', (text: string) => {
          const lines = `${rest}${text}`.split('\n');
          rest = lines.pop() ?? '';
          seen.push(...lines.map((line): Seen => JSON.parse(line)));
          const ended = seen.filter(({ event }) => event.kind === 'turn_ended').map(({ host }) => host);
          if (['ws1', 'ws2'].every((host) => ended.includes(host))) resolve();
        }),
      );
      await cause();
      await both;
      manager.child.kill('SIGINT');
      const { code, stderr } = await manager.ran;
      expect(code).toBe(exitCodes.stopped);
      return { seen, next: wayIn(JSON.parse(stderr).hint, 'go on') };
    };
    const prompt = async (text: string) => {
      await ws1.done('agents', 'prompt', 'alpha', text);
      await ws1.done('agents', 'prompt', 'beta@ws2', text);
    };
    const { next_after } = await ws1.done('fleet', 'events');
    const first = await follow(['fleet', 'events', '--follow', '--after', next_after], () => prompt('seen'));
    await prompt('unseen');
    const second = await follow(first.next, async () => undefined);
    const { events } = await ws1.done('fleet', 'events', '--after', next_after);
    const shown = [...first.seen, ...second.seen].map(({ id }) => id);
    expect(new Set(shown).size).toBe(shown.length);
    expect(events.map(({ id }: Seen) => id).slice(0, shown.length)).toEqual(shown);
  },
);
