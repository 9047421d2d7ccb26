import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { behindServer } from '../support/behind-server.js';
import { type PassedOperation, passedOperations } from '../support/forwarded-operations.js';

// Every operation below the gateway and the mailbox of an agent that has both, with the contract's own example, and with
// requests, reminders and messages that are there in the place of the example's.

/** The refusals of a headless agent. */
const refused: Readonly<Record<string, RegExp>> = {
  sendGatewayKeys: /^The agent runs headless/,
  getGatewayTuiState: /^The agent runs headless/,
  getGatewayTuiScreen: /^The agent runs headless/,
  getGatewayTuiHistory: /^The agent runs headless/,
  getGatewayDialog: /^The agent runs headless/,
  answerGatewayDialog: /^The agent runs headless/,
  noteGatewayPrompt: /^The agent runs headless/,
};
const left = new Set(['attachGateway', 'detachGateway']);
const row = (operation: PassedOperation) => [operation.operationId, operation] as const;

describe('an agent with a gateway and a mailbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-passed-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const mailbox = { root: join(folder, 'mailbox'), address: null, principalId: null };
  const behind = behindServer({ launch: { mailbox } });
  const agent = (method: string, path: string, body?: unknown) =>
    behind.server.ask(method, `/houmao/agents/${behind.name}${path}`, body);
  const prompt = { kind: 'submit_prompt', payload: { prompt: 'hello' } };

  /** The values that stand in the place of the ids and addresses of the examples. */
  async function present(path: string, example: string): Promise<[RegExp, string][]> {
    const { body: box } = await agent('GET', '/mail/status');
    const found: [RegExp, string][] = [[/[a-z-]+@houmao\.localhost/g, box.address]];
    if (/\/(requests|turns)\//.test(path)) {
      // The example of another operation pauses it.
      await agent('PUT', '/gateway/control/queue', { paused: false });
      const { body } = await agent('POST', '/gateway/requests', prompt);
      const done = await agent('GET', `/gateway/requests/${body.request_id}?wait_seconds=30`);
      found.push([/gwreq-[0-9TZa-f-]+/, body.request_id], [/turn-[0-9a-f]+/, done.body.turn.turn_id]);
    }
    if (path.includes('/reminders/')) {
      const reminder = { mode: 'one_off', title: 't', prompt: 'p', ranking: 0, start_after_seconds: 3600 };
      const { body } = await agent('POST', '/gateway/reminders', { reminders: [reminder] });
      found.push([/greminder-[0-9a-f]+/, body.reminders[0].reminder_id]);
    }
    if (example.includes('filesystem:msg')) {
      const attachments = [{ path: '/etc/hosts' }];
      const mail = { to: [box.address], subject: 's', body_content: 'b', attachments };
      const { message } = (await agent('POST', '/mail/send', mail)).body;
      found.push([/filesystem:msg-[0-9TZa-f-]+/g, message.message_ref]);
      found.push([/att-[0-9a-f]+/, message.attachments[0].attachment_id]);
    }
    return found;
  }

  test.each(passedOperations.filter(({ operationId }) => !left.has(operationId)).map(row))(
    '%s is answered as its gateway answers',
    async (id, { method, path, body }) => {
      const example = JSON.stringify(body ?? null);
      const places = await present(path, example);
      const placed = (text: string) => places.reduce((all, [from, to]) => all.replace(from, to), text);
      const given = JSON.parse(placed(example)) ?? undefined;
      if (given?.attachments) given.attachments = [];
      // Others prompt the agent, too.
      if (id === 'controlGatewayPrompt') given.force = true;
      const answer = await agent(method, placed(path), given);
      const wanted = refused[id];
      if (wanted)
        expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringMatching(wanted) } });
      // The request of the example has run to its end.
      else if (id === 'cancelGatewayRequest') expect(answer.status).toBe(409);
      else expect({ ...answer, headers: null }).toMatchObject({ status: 200 });
    },
  );
});
