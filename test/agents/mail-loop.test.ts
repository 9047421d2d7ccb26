// Two real CLIs that hand work to each other by mail: Claude Code for each turn, Codex in a terminal.
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { call } from '../support/http.js';
import { gatewayStage } from './harness/gateway-stage.js';
import { terminalStage } from './harness/terminal-stage.js';

const root = mkdtempSync(path.join(os.tmpdir(), 'mail-'));
const worker = fileURLToPath(new URL('harness/work-through-mail.mjs', import.meta.url));
const alice = gatewayStage('claude', {
  launch: {
    name: 'alice',
    toolArguments: ['--allowedTools', 'Bash'],
    mailbox: { root, address: null, principalId: null },
  },
});
const bob = terminalStage('codex', ['--unattended', '--mailbox', root, '--address', 'bob@houmao.localhost']);

type Ask = (method: string, route: string, body?: object) => ReturnType<typeof call>;

/** The turns of the notices of an agent, once there are so many and all have ended. */
async function woken(ask: Ask, count: number) {
  const notices = async () =>
    (await ask('GET', '/v1/requests')).body.requests.filter(
      ({ request_kind: kind, turn }: { request_kind: string; turn: { state: string } | null }) =>
        kind === 'mail_notifier_prompt' && turn?.state === 'ended',
    );
  await expect.poll(notices).toHaveLength(count);
  return notices();
}

test('mail wakes the other, who answers; the answer wakes the first; both end idle with empty inboxes', async () => {
  const askAlice: Ask = (method, route, body) => call(alice().gateway.url, method, route, body);
  const askBob: Ask = (method, route, body) => bob().ask(method, route, body);
  const work = (tool: string, name: string, gateway: string) =>
    `[[tool=${tool} {"${name}":"${process.execPath} ${worker} ${gateway}"}]]`;
  const bobUrl = (await askBob('GET', '/v1/status')).body;
  await askAlice('PUT', '/v1/mail-notifier', {
    interval_seconds: 3600,
    appendix_text: work('Bash', 'command', alice().gateway.url),
  });
  await askBob('PUT', '/v1/mail-notifier', {
    interval_seconds: 3600,
    appendix_text: work('exec_command', 'cmd', `http://127.0.0.1:${bobUrl.gateway_port}`),
  });
  const letter = { to: ['bob@houmao.localhost'], subject: 'review', body_content: 'Please review.' };
  expect((await askAlice('POST', '/v1/mail/send', letter)).status).toBe(200);
  for (const ask of [askBob, askAlice])
    expect(await woken(ask, 1)).toMatchObject([
      {
        state: 'completed',
        turn: { origin: 'notifier', outcome: 'completed', delivery: { state: 'confirmed' } },
      },
    ]);
  const subjects = async (ask: Ask, box: string) =>
    (await ask('POST', '/v1/mail/list', { box })).body.messages.map(
      ({ subject }: { subject: string }) => subject,
    );
  for (const [ask, archived] of [
    [askBob, ['review']],
    [askAlice, ['Re: review']],
  ] as const) {
    expect(await subjects(ask, 'inbox')).toEqual([]);
    expect(await subjects(ask, 'archive')).toEqual(archived);
    expect((await ask('GET', '/v1/status')).body).toMatchObject({ active_execution: 'idle', queue_depth: 0 });
  }
});
