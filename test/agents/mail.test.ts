// Real CLIs with a mailbox: they find the skills that the launch put into their homes, and mail wakes them.
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { terminalStage } from './harness/terminal-stage.js';
import { answeredTurn } from './harness/terminal-turns.js';

const mailbox = (): readonly string[] => ['--mailbox', mkdtempSync(path.join(os.tmpdir(), 'mail-'))];

describe.each([
  ['claude', '/houmao', '/houmao-process-emails-via-gateway\n'],
  ['codex', '$houmao', '$houmao-process-emails-via-gateway http://127.0.0.1:'],
] as const)('%s with a mailbox', (tool, typed, called) => {
  const current = terminalStage(tool, mailbox());

  test('lists the skills for mail', async () => {
    const stage = current();
    stage.type('-l', typed);
    await expect.poll(stage.screen).toContain('houmao-process-emails-via');
    expect(stage.screen()).toContain('houmao-agent-email-comms');
    stage.type(...Array.from(typed, () => 'BSpace'));
    await stage.ready();
  });

  test('is woken by mail, in its terminal, and the prompt names the skill', async () => {
    const stage = current();
    expect((await stage.ask('PUT', '/v1/mail-notifier', { interval_seconds: 3600 })).status).toBe(200);
    const note = { subject: 'wake up', body_content: 'there is work' };
    expect((await stage.ask('POST', '/v1/mail/post', note)).status).toBe(200);
    const notice = async () =>
      (await stage.ask('GET', '/v1/requests')).body.requests.find(
        ({ request_kind: kind }: { request_kind: string }) => kind === 'mail_notifier_prompt',
      );
    await expect.poll(notice).toBeDefined();
    const turn = await answeredTurn(stage, (await notice()).request_id);
    expect(turn).toMatchObject({ origin: 'notifier', delivery: { state: 'confirmed' } });
    const [asked] = stage.fake.turns('You have mail in inbox.');
    expect(asked!.userTexts.at(-1)).toContain(called);
    const { body } = await stage.ask('POST', '/v1/mail/list', {});
    const refs = body.messages.map(({ message_ref: ref }: { message_ref: string }) => ref);
    await stage.ask('POST', '/v1/mail/archive', { message_refs: refs });
  });
});

describe('codex with a mailbox, compacted before each notice', () => {
  const current = terminalStage('codex', mailbox());

  test('has its conversation compacted, as a turn of its own, and gets the notice then', async () => {
    const stage = current();
    await answeredTurn(stage, await stage.queue('something to forget'));
    await stage.ready();
    const settings = { interval_seconds: 3600, pre_notification_context_action: 'compact' };
    expect((await stage.ask('PUT', '/v1/mail-notifier', settings)).status).toBe(200);
    await stage.ask('POST', '/v1/mail/post', { subject: 'after compaction', body_content: '' });
    const notice = async () =>
      (await stage.ask('GET', '/v1/requests')).body.requests.find(
        ({ request_kind: kind }: { request_kind: string }) => kind === 'mail_notifier_prompt',
      );
    await expect.poll(notice, { timeout: 40_000 }).toBeDefined();
    await answeredTurn(stage, (await notice()).request_id);
    const { body } = await stage.ask('GET', '/v1/events');
    const begun = body.events.filter(
      ({ kind, data }: { kind: string; data: { origin?: string } }) =>
        kind === 'turn_claimed' && data.origin === 'notifier',
    );
    expect(begun).toHaveLength(2);
    expect((await stage.ask('GET', '/v1/mail-notifier')).body.last_error).toBeNull();
  });
});
