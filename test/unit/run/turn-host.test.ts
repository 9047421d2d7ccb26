import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { StopLadder } from '../../../src/run/running-turn.js';
import { processHost, type TurnHost, tmuxHost } from '../../../src/run/turn-host.js';
import { Tmux } from '../../../src/terminal/tmux.js';
import { eventually, markedProcesses } from '../../e2e/recovery/evidence.js';
import { usePrivateTmux } from '../../e2e/recovery/private-tmux.js';
import { turnNotes } from '../../support/plain-turn.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';
import { agentScript, jobIn, startJob } from '../../support/turn-job.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const tmux = usePrivateTmux();
afterAll(() => tmux.remove());

let sessions = 0;
async function tmuxWithSession(folder: string): Promise<TurnHost> {
  sessions += 1;
  const server = new Tmux({ environment: process.env });
  const session = `hosts-${sessions}`;
  const { paneId, sessionId, pid, startedAt } = await server.newSession(session, folder, {});
  const recorded = { paneId, sessionId, server: { pid, startedAt } };
  return tmuxHost({ tmux: server, session, recorded, opened: () => undefined, environment: process.env });
}
const hosts = [
  { name: 'a process of its own', host: async () => processHost(process.env) },
  { name: 'a tmux pane', host: tmuxWithSession },
];
/** The last step is long: what ends the turn before it is what is asked about. */
const gentle: StopLadder = [
  { signal: 'SIGINT', waitMs: 5000 },
  { signal: 'SIGKILL', waitMs: 20_000 },
];

describe.each(hosts)('a turn in $name', ({ host }) => {
  test('runs to its end, with its files, its evidence and nothing left over', async () => {
    const folder = temporaryFolder();
    // It begins once it was seen: one that ends before anybody looks is only known by its files.
    const seen = join(folder, 'seen');
    execFileSync('mkfifo', [seen]);
    const executable = join(folder, 'agent.sh');
    writeFileSync(executable, `#!/bin/sh\nread -r line < '${seen}'\nexec '${standinProgram}' "$@"\n`, {
      mode: 0o755,
    });
    const job = jobIn(folder, { executable });
    const notes = turnNotes();
    const used = await host(folder);
    const turn = startJob(job, used, notes);
    await eventually('runner and agent', () => notes.spawnedPids.length === 2);
    await writeFile(seen, 'go\n');
    const signs = await turn.ended;
    expect(signs).toMatchObject({ exitCode: 0, startFault: null, supervisorLost: false });
    expect(signs?.answer?.text).toContain('You said: Hello');
    const { child_pid, runner_pid, launched_at_utc, ...more } = JSON.parse(
      readFileSync(job.job.artifacts.process, 'utf8'),
    );
    expect(more).toEqual({});
    expect(launched_at_utc).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    expect(notes.spawnedPids).toEqual([runner_pid, child_pid]);
    expect(notes.handedOverBy).toEqual([
      `process ${child_pid} was started${used.place} with the prompt on its standard input`,
    ]);
    expect(notes.confirmedBy).not.toEqual([]);
    expect(notes.reports).toEqual([]);
    expect(readFileSync(job.job.artifacts.exitCode, 'utf8')).toBe('0\n');
    expect(readdirSync(job.job.artifacts.directory).sort()).toEqual([
      'canonical-events.jsonl',
      'exitcode',
      'parts.jsonl',
      'process.json',
      'stderr.log',
      'stdout.jsonl',
    ]);
    expect(existsSync(job.jobFile)).toBe(false);
    expect(markedProcesses([job.job.turnId])).toEqual([]);
  });

  test('is stopped with its whole process group: a child of the agent gets the signal itself', async () => {
    const folder = temporaryFolder();
    const [ready, heard] = [join(folder, 'ready'), join(folder, 'heard')];
    const child = `
      const { writeFileSync } = require('node:fs');
      process.on('SIGINT', () => { writeFileSync(${JSON.stringify(heard)}, 'SIGINT'); process.exit(); });
      writeFileSync(${JSON.stringify(ready)}, '');
      setInterval(() => {}, 1000);`;
    const executable = agentScript(
      folder,
      // The agent itself ignores the signal, and stays as long as its child.
      `process.on('SIGINT', () => {});
       require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}])
         .on('exit', () => process.exit());`,
    );
    const turn = startJob(jobIn(folder, { executable }), await host(folder), turnNotes());
    await eventually('the child of the agent', () => existsSync(ready));
    expect(await turn.stop(gentle, true)).toEqual({ outcome: 'stopped', signal: 'SIGINT' });
    expect(readFileSync(heard, 'utf8')).toBe('SIGINT');
  });

  test('is stopped also while its runner starts', async () => {
    const folder = temporaryFolder();
    const job = jobIn(folder, { stdin: '[[slow=60000]] early' });
    const turn = startJob(job, await host(folder), turnNotes());
    expect(await turn.stop(gentle, true)).toMatchObject({ outcome: 'stopped' });
    // The agent may have begun in the meantime; then it says itself that it was interrupted.
    expect((await turn.ended)?.completion?.successful ?? false).toBe(false);
    expect(markedProcesses([job.job.turnId])).toEqual([]);
  });

  test('says why its agent cannot be started', async () => {
    const folder = temporaryFolder();
    const missing = jobIn(folder, { executable: join(folder, 'nobody') });
    const notes = turnNotes();
    expect(await startJob(missing, await host(folder), notes).ended).toMatchObject({
      startFault: {
        code: 'agent_missing',
        detail: expect.stringContaining('The program nobody was not found'),
      },
      outcomeUnknown: null,
    });
    expect(notes.handedOverBy).toEqual([]);
    expect(readdirSync(missing.job.artifacts.directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

test('a host that starts nothing: the turn is given up, and its job is taken away', async () => {
  const folder = temporaryFolder();
  let mode = 0;
  const deaf: TurnHost = {
    place: '',
    async spawn(jobFile) {
      mode = statSync(jobFile).mode & 0o777;
      throw new Error('no such session');
    },
  };
  expect(await startJob(jobIn(folder), deaf, turnNotes()).ended).toMatchObject({
    startFault: { code: 'agent_missing', detail: expect.stringMatching(/: no such session\.$/) },
    outcomeUnknown: null,
  });
  // It held the environment of the turn.
  expect(mode).toBe(0o600);
  expect(readdirSync(join(folder, 'gateway', 'run'))).toEqual([]);
});

test('a runner that never comes: the turn is given up in time, and its job is taken away', async () => {
  const folder = temporaryFolder();
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const job = jobIn(folder);
  const turn = startJob(job, { place: '', spawn: async () => null }, turnNotes(), clock);
  const signs = await clock.passUntil(turn.ended, 250, async () => {
    // Until the last moment the runner may still come.
    if (clock.monotonic() <= 20_000) expect(existsSync(job.jobFile)).toBe(true);
    await new Promise(setImmediate);
  });
  expect(signs).toMatchObject({
    startFault: { detail: expect.stringContaining('its runner did not start it in time') },
  });
  expect(readdirSync(join(folder, 'gateway', 'run'))).toEqual([]);
});
