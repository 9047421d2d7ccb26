// The words for operators whose gateway is lost while it does what they asked for: never that it was refused.
import { expect, test } from 'vitest';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { dyingGateway, waitingGateway } from '../../support/answering-gateway.js';
import { serverStage } from './server-stage.js';

const stage = serverStage();
const { agents } = stage;
const headless = () => stage.launch('--headless', '--no-tmux');
const id = 'gwreq-20260313-000000Z-deadbeef';

test('an interrupt that the gateway has is reported with its id, and the ways back to it', async () => {
  const { name, root } = await headless();
  const accepted = {
    request_id: id,
    request_kind: 'interrupt',
    state: 'accepted',
    queue_depth: 0,
    accepted_at_utc: '2026-03-13T00:00:00+00:00',
    managed_agent_instance_epoch: 1,
  };
  const { lines, kill } = await waitingGateway(sessionPaths(root), { '/v1/requests': { body: accepted } });
  const running = agents('interrupt', name, '--json');
  for (let line = await lines.next(); !line.done; line = await lines.next())
    if (line.value.startsWith(`asked /v1/requests/${id}`)) break;
  kill();
  const { code, stderr } = await running;
  const reported = JSON.parse(stderr);
  expect([code, reported.request_id]).toEqual([3, id]);
  expect(reported.detail).toContain(`Request ${id} was not refused; `);
  expect(reported.remedies).toContainEqual(
    expect.objectContaining({ command: `houmao-mgr agents requests show ${name} ${id}` }),
  );
});

test('a cancel by a server leads back to the request', async () => {
  const { name, root } = await headless();
  await dyingGateway(sessionPaths(root), `/v1/requests/${id}`);
  const { code, stderr } = await agents('requests', 'cancel', name, id, '--server', stage.url);
  const way = `Look again: houmao-mgr agents requests show ${name} ${id} --server ${stage.url}\n`;
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(
      new RegExp(`^houmao-mgr: .* was lost .* The state of ${id} is not known\\. ${way}$`),
    ),
  ]);
});

test('a reminder removed by a server leads to those that there are', async () => {
  const { name, root } = await headless();
  await dyingGateway(sessionPaths(root), '/v1/reminders/greminder-1');
  const remove = ['gateway', 'reminders', 'remove', name, 'greminder-1'];
  const { code, stderr } = await agents(...remove, '--server', stage.url);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(
      new RegExp(
        `^houmao-mgr: It is not known .*: .* was lost .*: houmao-mgr agents gateway reminders list ${name} --server ${stage.url}\n$`,
      ),
    ),
  ]);
});
