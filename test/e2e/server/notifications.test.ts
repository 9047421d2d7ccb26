// Notifications of a server that is killed, and of an agent in a terminal that asks a person something.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { verifyWebhook } from '@houmao/sdk/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { call } from '../../support/http.js';
import { launchOn } from '../../support/managed-agents.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';
import { useTerminalAgents } from '../terminal/terminal-agent.js';

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());
const ids = () => receiver.calls.map(({ headers }) => headers['webhook-id']);

test('a server that is killed while a receiver hangs sends the same message again, and each event once', async () => {
  const folder = temporaryFolder();
  const host = managedHost(folder);
  const flags = ['--allow-private-webhooks'];
  let server: ServerProcess = await startManagedServer(host, folder, { flags });
  await launchOn(host, folder, 'alpha');
  const prompt = { request_kind: 'submit_prompt', prompt: 'hello' };
  const prompted = () => server.ask('POST', '/houmao/agents/alpha/requests', prompt);
  receiver.answer(() => undefined);
  const body = { target: { kind: 'webhook', url: receiver.url }, events: ['turn_ended'] };
  expect((await server.ask('POST', '/houmao/notifications', body)).status).toBe(201);
  await expect.poll(async () => (await prompted()).status).toBe(200);
  await expect.poll(() => receiver.calls.length).toBe(1);
  await server.kill();
  receiver.answer((response) => void response.writeHead(204).end());
  server = await startManagedServer(host, folder, { flags });
  await expect.poll(() => receiver.calls.length).toBe(2);
  await expect.poll(async () => (await prompted()).status).toBe(200);
  await expect.poll(() => receiver.calls.length).toBe(3);
  expect([ids()[1] === ids()[0], new Set(ids()).size]).toEqual([true, 2]);
  await server.ask('POST', '/houmao/agents/alpha/stop');
  expect(await server.stop()).toBe(0);
});

describe('an agent that asks a person', () => {
  const agents = useTerminalAgents();
  const { run } = agents;
  const serving = async (...flags: string[]): Promise<string> => {
    const started = await run('server', 'start', '--port', '0', '--json', ...flags);
    onTestFinished(async () => void (await run('server', 'stop')));
    return JSON.parse(started.stdout).api_base_url;
  };
  const added = async (...flags: string[]) =>
    JSON.parse((await run('notify', 'add', '--json', ...flags)).stdout);

  test('reaches a webhook that the SDK verifies, and is answered by the command that the message names', async () => {
    await serving('--allow-private-webhooks');
    const { secret } = await added('--webhook', receiver.url, '--agent', 'alpha', '--event', 'dialog_shown');
    await agents.launch();
    await agents.ready();
    await agents.queued('go [[tool=Bash {"command":"ls"}]]');
    await expect.poll(receiver.types).toEqual(['dialog_shown']);
    const { body, headers } = receiver.calls[0]!;
    const { data } = await verifyWebhook(body, headers, secret);
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ data });
    if (data.event?.kind !== 'dialog_shown' || data.question === null) throw new Error('no question');
    expect([data.agent_name, data.event.data.dialog_kind, data.question.text]).toEqual([
      ...['alpha', 'permission', data.event.data.text],
    ]);
    const { dialog } = (await call(data.question.answer_url, 'GET', '')).body;
    expect(dialog.dialog_id).toBe(data.event.data.dialog_id);
    const [, ...words] = data.question.command.split(' ');
    expect((await run(...words, '--choose', '1')).code).toBe(0);
    await expect.poll(async () => (await call(data.question!.answer_url, 'GET', '')).body.dialog).toBeNull();
  });

  test('runs a command of this machine', async () => {
    await serving();
    const program = `${agents.folder}/on-event`;
    writeFileSync(program, `#!/bin/sh\ncat > "$1"\n`);
    chmodSync(program, 0o755);
    const { notification } = await added('--command', program, '--', `${agents.folder}/got`);
    await agents.launchWith('trust-dialog');
    const delivered = async () =>
      JSON.parse((await run('notify', 'show', notification.notification_id, '--json')).stdout)
        .last_delivered_at_utc;
    await expect.poll(delivered).not.toBeNull();
    expect(JSON.parse(readFileSync(`${agents.folder}/got`, 'utf8'))).toMatchObject({
      type: 'dialog_shown',
      data: { agent_name: 'alpha', event: { data: { dialog_kind: 'trust' } } },
    });
  });
});
