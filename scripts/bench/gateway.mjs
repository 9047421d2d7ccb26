// A real gateway with the stand-in agent, for measuring. Everything it makes is in a temporary folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { createSession } from '../../dist/src/launch/create-session.js';

export async function makeSession() {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-bench-'));
  const environment = {
    ...process.env,
    HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
    HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
  };
  const paths = await createSession(
    {
      tool: 'claude',
      name: 'bench',
      role: null,
      roleName: 'default',
      model: null,
      reasoningLevel: null,
      workingDirectory: folder,
      homePath: join(folder, 'home'),
      executable: resolve('dist/src/standin/main.js'),
      environment: { PATH: process.env.PATH ?? '', HOME: folder },
      toolArguments: [],
      unattended: false,
      tmux: false,
      startup: { kind: 'none' },
    },
    environment,
    new Date(),
  );
  return {
    folder,
    environment,
    paths,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Starts a program that prints where it serves. @returns also how long it took until /health answered. */
export async function serve(args, environment, health) {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((found, lost) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const match = /(http:\/\/127\.0\.0\.1:\d+) /.exec(text);
      if (match) found(match[1]);
    });
    child.once('exit', (code) => lost(new Error(`${args.join(' ')} exited with ${code}`)));
  });
  if (health) await fetch(`${url}/health`);
  const startMs = performance.now() - begun;
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url, pid: child.pid, startMs, stop, kill };
}

export const startGateway = (session) =>
  serve(
    ['dist/src/gateway/main.js', '--gateway-root', session.paths.root, '--host', '127.0.0.1', '--port', '0'],
    session.environment,
    true,
  );

/** Keeps the slot busy, so that what is accepted stays accepted while it is measured. */
export async function occupy(url) {
  const body = JSON.stringify({ kind: 'submit_prompt', payload: { prompt: '[[slow=3600000]] hold' } });
  const accepted = await (
    await fetch(`${url}/v1/requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
  ).json();
  for (;;) {
    const record = await (await fetch(`${url}/v1/requests/${accepted.request_id}`)).json();
    if (record.state === 'running') return;
  }
}

/** Rows written straight into the database of a gateway that does not run. */
export function fill(session, count, state) {
  const database = new Database(session.paths.queue);
  const finished = state === 'completed' ? '2026-03-13T00:00:01+00:00' : null;
  const insert = database.prepare(
    `INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, finished_at_utc, managed_agent_instance_epoch)
     VALUES (?, 'submit_prompt', '{"chat_session":null,"execution":null,"prompt":"filler","turn_id":null}', ?, '2026-03-13T00:00:00+00:00', ?, 1)`,
  );
  const events = database.prepare(
    `INSERT INTO events (at_utc, kind, subject_id, data_json) VALUES ('2026-03-13T00:00:00+00:00', 'turn_claimed', NULL, '{}')`,
  );
  database.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      insert.run(`gwreq-20260313-000000Z-${state[0]}${index}`, state, finished);
      events.run();
    }
  })();
  database.prepare(`UPDATE projections SET seq = (SELECT MAX(seq) FROM events)`).run();
  database.close();
}
