import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { startGateway } from '../../support/gateway-process.js';
import { agentAtServerEach } from '../support/agent-at-server.js';

// An agent that was replaced by another one, while prompts for its predecessor wait in the queue of its gateway.

const here = agentAtServerEach();

const post = (rest: string, body?: unknown) => here.server.ask('POST', pathOf(here.session, rest), body);
const state = async () => (await here.server.ask('GET', pathOf(here.session, '/state/detail'))).body;

/** Without tmux the instance is the generation of the launch (docs/decisions.md#with-and-without-tmux). */
function replace(): void {
  const manifest = JSON.parse(readFileSync(here.session.paths.manifest, 'utf8'));
  manifest.registry_generation_id = 'another-generation';
  manifest.runtime.registry_generation_id = 'another-generation';
  writeFileSync(here.session.paths.manifest, JSON.stringify(manifest));
}

async function leaveWaiting(): Promise<void> {
  const gateway = await startGateway(here.session);
  for (const prompt of ['[[slow=60000]] runs', 'waits'])
    await post('/gateway/requests', { schema_version: 1, kind: 'submit_prompt', payload: { prompt } });
  await expect.poll(() => takenPrompts(here.session.ledger)).toHaveLength(1);
  await gateway.stop();
}

async function expectNoPrompts(): Promise<void> {
  const detail = expect.stringContaining('reconcile');
  for (const [rest, body] of [
    ['/turns', { prompt: 'new' }],
    ['/requests', { request_kind: 'submit_prompt', prompt: 'new' }],
  ] as const)
    expect(await post(rest, body)).toMatchObject({ status: 409, body: { detail } });
  const idle = await post('/requests', { request_kind: 'interrupt' });
  expect(idle).toMatchObject({ status: 200, body: { disposition: 'no_op', headless_turn_id: null } });
  expect(takenPrompts(here.session.ledger)).toHaveLength(1);
}

test('it gets no prompt until the work of the other is settled, by its gateway or after that has died', async () => {
  await leaveWaiting();
  replace();
  const gateway = await startGateway(here.session);
  await expectNoPrompts();
  const blocked = { request_admission: 'blocked_reconciliation', queue_depth: 1 };
  expect(await state()).toMatchObject({
    summary_state: {
      availability: 'error',
      turn: { phase: 'unknown', active_turn_id: null },
      gateway: blocked,
      diagnostics: [{ kind: 'gateway_reconciliation_required' }],
    },
    detail: { can_accept_prompt_now: false, interruptible: false },
  });
  expect(await post('/gateway/attach', {})).toMatchObject({ status: 409 });

  await gateway.kill();
  await expectNoPrompts();
  const next = await startGateway(here.session);
  const settled = await post('/gateway/control/reconcile', { schema_version: 1, action: 'discard' });
  expect(settled.body).toMatchObject({ discarded: 1 });
  expect(await state()).toMatchObject({ summary_state: { availability: 'available', diagnostics: [] } });
  const begun = await post('/turns', { prompt: 'for the new one' });
  const turn = await here.server.ask(
    'GET',
    pathOf(here.session, `/turns/${begun.body.turn_id}?wait_seconds=30`),
  );
  expect(turn.body).toMatchObject({ status: 'completed' });
  expect(takenPrompts(here.session.ledger).map(({ prompt }) => prompt)).toEqual([
    expect.stringContaining('runs'),
    'for the new one',
  ]);
  expect(await next.stop()).toBe(0);
});
