import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processTree } from '../../../src/terminal/process-tree.js';
import { call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';
import { linesOf } from '../recovery/evidence.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

const tmux = usePrivateTmux();
const folder = mkdtempSync(join(tmpdir(), 'houmao-terminal-'));
const environment = { ...managerEnvironment(folder), HOUMAO_STANDIN_LEDGER: join(folder, 'ledger') };
const run = (...args: string[]) => manage(environment, args);

const launch = (...flags: string[]) =>
  run(
    ...['agents', 'launch', '--tool', 'claude', '--tui', '--executable', standinProgram],
    ...['--workdir', folder, '--home', join(folder, 'home'), '--name', 'alpha', '--json'],
    ...['--env', 'HOUMAO_STANDIN_LEDGER', ...flags],
  );

let url: string;
let session: string;
let root: string;
afterEach(async () => {
  await run('agents', 'stop', 'alpha');
});
afterAll(() => {
  tmux.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const state = async () => (await call(url, 'GET', '/v1/control/tui/state')).body;
const shows = (wanted: object) => expect.poll(state).toMatchObject(wanted);
const keys = (sequence: string, more: object = {}) =>
  call(url, 'POST', '/v1/control/send-keys', { sequence, ...more });
/** As the status says, which may be a second old. */
const eligible = (wanted: string) =>
  expect
    .poll(async () => (await call(url, 'GET', '/v1/status')).body.terminal_surface_eligibility)
    .toBe(wanted);
const ready = {
  diagnostics: { availability: 'available' },
  turn: { phase: 'ready' },
  stability: { stable: true },
};
/** The findings of the doctor that are not in order. */
const troubles = async () => {
  const { agents } = JSON.parse((await run('agents', 'doctor', 'alpha', '--json')).stdout);
  return agents[0].findings.filter((finding: { state: string }) => finding.state !== 'ok');
};
const panePid = () => Number(tmux.run('display-message', '-p', '-t', `=${session}:0.0`, '#{pane_pid}'));
const toolPid = () => processTree(panePid()).find(({ args }) => args.includes(standinProgram))?.pid ?? 0;
const eventsSoFar = () => linesOf(join(root, 'gateway/events.jsonl')).map((line) => JSON.parse(line));

describe('an agent in a terminal', () => {
  beforeEach(async () => {
    const { code, stdout, stderr } = await launch();
    expect([code, stderr]).toEqual([0, '']);
    ({ gateway_url: url, tmux_session_name: session, session_root: root } = JSON.parse(stdout));
    await shows(ready);
  });

  test('is launched with its version known, its secrets in a file of its own, and ready', async () => {
    const manifest = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      backend: 'local_interactive',
      launch_policy_provenance: { detected_tool_version: expect.stringContaining('(Claude Code') },
      headless: null,
    });
    expect(statSync(join(root, 'terminal/start.sh')).mode & 0o777).toBe(0o600);
    expect(await state()).toMatchObject({
      terminal_id: manifest.runtime.session_id,
      tracked_session: {
        tool: 'claude',
        tmux_session_name: session,
        tmux_window_name: 'agent',
        session_root: root,
      },
      diagnostics: { transport_state: 'tmux_up', process_state: 'tui_up', parse_status: 'parsed' },
      surface: { accepting_input: 'yes', editing_input: 'no', ready_posture: 'yes' },
      parsed_surface: { parser_family: 'claude_code', business_state: 'idle', input_mode: 'freeform' },
      last_turn: { result: 'none' },
    });
    await eligible('ready');
    expect(await troubles()).toEqual([]);
    expect((await call(url, 'GET', '/v1/status')).body.request_admission).toBe('open');
    const answered = await run('agents', 'screen', 'alpha');
    expect(answered).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Ready for a prompt\.\n/),
    });
    expect(answered.stdout).toContain('❯');
  });

  test('is followed from typed keys to the end of its turn', async () => {
    expect(await keys('[[slow=1500]] hello<[Enter]>')).toMatchObject({
      status: 200,
      body: { status: 'ok', action: 'control_input' },
    });
    await shows({ turn: { phase: 'active' } });
    await eligible('not_ready');
    await shows({ ...ready, last_turn: { result: 'success', source: 'surface_inference' } });
    const { entries } = (await call(url, 'GET', '/v1/control/tui/history?limit=3')).body;
    expect(entries).toHaveLength(3);
    const all = (await call(url, 'GET', '/v1/control/tui/history?limit=0')).body.entries;
    expect(all.map(({ turn }: { turn: { phase: string } }) => turn.phase)).toContain('active');
    await expect
      .poll(eventsSoFar)
      .toContainEqual(
        expect.objectContaining({ kind: 'control_input', sequence_preview: '[[slow=1500]] hello<[Enter]>' }),
      );
  });

  test('a noted prompt begins a turn at once; nothing is typed', async () => {
    const before = linesOf(environment.HOUMAO_STANDIN_LEDGER);
    const noted = await call(url, 'POST', '/v1/control/tui/note-prompt', { prompt: 'typed elsewhere' });
    expect(noted).toMatchObject({
      status: 200,
      body: { turn: { phase: 'active' }, last_turn: { result: 'none' } },
    });
    expect(linesOf(environment.HOUMAO_STANDIN_LEDGER)).toEqual(before);
    expect((await state()).surface).toMatchObject({ editing_input: 'no' });
  });

  test('an interrupt by its key is seen', async () => {
    await keys('[[slow=60000]] for long<[Enter]>');
    await shows({ turn: { phase: 'active' } });
    await keys('<[Escape]>');
    await shows({ turn: { phase: expect.not.stringMatching('active') } });
  });

  test('keys are typed as they are, or not at all', async () => {
    expect(await keys('typed <[F1]>')).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/^The key <\[F1\]> cannot be sent; .*BSpace, /) },
    });
    for (const sequence of ['a\u0001b', '\u007f'])
      expect(await keys(sequence)).toMatchObject({
        status: 422,
        body: { detail: expect.stringMatching(/ control character U\+00/) },
      });
    expect((await state()).surface.editing_input).toBe('no');
    await keys('<[Enter]> and more', { escape_special_keys: true });
    await shows({ surface: { editing_input: 'yes' } });
    expect((await state()).parsed_surface.normalized_projection_text).toContain('❯ <[Enter]> and more');
    expect(await run('agents', 'keys', 'alpha', '<[C-u]>')).toMatchObject({ code: 0 });
    await shows({ surface: { editing_input: 'no' } });
    expect(await run('agents', 'keys', 'alpha', '<[F1]>')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The key <[F1]> cannot be sent'),
    });
  });

  test('whose tool has ended is down, and nothing of what was seen holds', async () => {
    process.kill(toolPid(), 'SIGKILL');
    await shows({
      diagnostics: { availability: 'tui_down', process_state: 'tui_down', parse_status: 'skipped_tui_down' },
      surface: { accepting_input: 'unknown', editing_input: 'unknown', ready_posture: 'unknown' },
      turn: { phase: 'unknown' },
      parsed_surface: null,
    });
    await eligible('not_ready');
    expect((await run('agents', 'screen', 'alpha')).stdout).toMatch(
      /^claude does not run in its terminal any more/,
    );
    expect(await troubles()).toEqual([
      {
        check: 'tool',
        state: 'failed',
        detail: 'does not run in its terminal',
        remedy: expect.stringMatching(/houmao-mgr agents restart alpha$/),
      },
    ]);
  });

  test('whose session is gone is unavailable, which is a state too; keys are refused', async () => {
    tmux.run('kill-session', '-t', `=${session}`);
    await shows({
      diagnostics: { availability: 'unavailable', transport_state: 'tmux_missing' },
      turn: { phase: 'unknown' },
    });
    await expect.poll(async () => (await keys('x')).status).toBe(503);
    expect((await run('agents', 'screen', 'alpha')).stdout).toMatch(/^The terminal is gone/);
  });

  test('that is lost while keys are typed is reported with 503, and the keys too', async () => {
    const sequence = 'ab<[BSpace]>'.repeat(20_000);
    const typing = keys(sequence);
    await shows({ surface: { editing_input: 'yes' } });
    tmux.run('kill-session', '-t', `=${session}`);
    expect(await typing).toMatchObject({
      status: 503,
      body: {
        detail: expect.stringMatching(/terminal was lost/),
      },
    });
    await expect
      .poll(eventsSoFar)
      .toContainEqual(
        expect.objectContaining({ kind: 'control_input', sequence_preview: sequence.slice(0, 120) }),
      );
  });

  test('leaves nothing when it is stopped', async () => {
    const pids = processTree(panePid()).map(({ pid }) => pid);
    expect(pids.length).toBeGreaterThan(1);
    expect(await run('agents', 'stop', 'alpha')).toMatchObject({ code: 0 });
    expect(pids.flatMap((pid) => processTree(pid))).toEqual([]);
    expect(() => tmux.run('has-session', '-t', `=${session}`)).toThrow();
  });
});

test('a tool that does not come up is reported with what its terminal shows, and nothing is left', async () => {
  const { code, stderr } = await run(
    ...['agents', 'launch', '--tool', 'claude', '--tui', '--executable', '/bin/false'],
    ...['--workdir', folder, '--home', join(folder, 'home'), '--name', 'alpha'],
  );
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/\/bin\/false did not come up .*\[houmao .* code 1\]/s),
  ]);
  expect((await run('agents', 'list')).stdout).toMatch(/^No agents\./);
  expect(() => tmux.run('list-sessions')).toThrow();
});

test.each([
  [['--headless'], /--tui.* cannot be used with .*--headless/],
  [['--hooks', '--', '--settings', '{}'], /--hooks: Claude Code takes hooks from --settings, .* only one/],
  [['--no-tmux'], /--tui needs tmux; remove --no-tmux\./],
])('--tui with %j is refused', async (flags, words) => {
  const { code, stderr } = await launch(...flags);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(words);
});

test.each([[['--headless']], [[]]])('--hooks with %j in place of --tui is bad usage', async (flags) => {
  const { code, stderr } = await run('agents', 'launch', '--tool', 'claude', ...flags, '--hooks');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^houmao-mgr: --hooks needs --tui: /)]);
});
