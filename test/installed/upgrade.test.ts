// An upgrade keeps everything that the previous version left: an agent with its conversation, its requests, its queue and its mail.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type Machine, newMachine, packed } from './machine.js';
import { previousVersion } from './previous-version.js';

interface Listed {
  readonly requests: readonly { request_id: string; state: string; prompt_preview: string }[];
}
interface Requested {
  readonly answer: string;
  readonly request: { request_id: string; turn: { turn_id: string } };
}

let machine: Machine;
/** `houmao-mgr <args> --json` of the previous version. */
let before: <Answer>(...args: string[]) => Promise<Answer>;
let previous: string;

beforeAll(async () => {
  previous = previousVersion();
  machine = newMachine('20', true);
  before = async <Answer>(...args: string[]) => {
    const ended = await machine.run('node', join(previous, 'dist/programs/houmao-mgr.js'), ...args, '--json');
    if (ended.code !== 0)
      throw new Error(`${args.join(' ')}: ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
    return JSON.parse(ended.stdout) as Answer;
  };
});
afterAll(() => machine?.remove());

test('an upgrade loses no agent, no request, no answer, no place in the queue and no mail', async () => {
  const standin = join(previous, 'dist/programs/standin-agent.js');
  const launch = [
    '--tool',
    'claude',
    '--headless',
    '--executable',
    standin,
    '--home',
    join(machine.home, 'standin'),
  ];
  await before('agents', 'launch', ...launch, '--name', 'alpha', '--mailbox', join(machine.home, 'mail'));
  const first = await before<Requested>('agents', 'prompt', 'alpha', 'The first');
  await before(
    'agents',
    'mail',
    'send',
    'alpha',
    '--to',
    'alpha@houmao.localhost',
    '--subject',
    'Kept',
    '--body-content',
    'Text',
  );
  await before('agents', 'gateway', 'pause', 'alpha');
  for (const prompt of ['The second', 'The third'])
    await before('agents', 'prompt', 'alpha', prompt, '--no-wait');
  const left = await before<Listed>('agents', 'requests', 'list', 'alpha');
  expect(left.requests.map(({ state }) => state)).toEqual(['accepted', 'accepted', 'completed']);

  await machine.install(packed(temporaryFolder()).path);
  await machine.manage('agents', 'gateway', 'attach', 'alpha', '--restart');

  const { agents } = await machine.manage<{ agents: { agent_name: string }[] }>('agents', 'list');
  expect(agents.map(({ agent_name }) => agent_name)).toEqual(['HOUMAO-alpha']);
  const now = await machine.manage<Listed>('agents', 'requests', 'list', 'alpha');
  expect(now.requests.map(facts)).toEqual(left.requests.map(facts));
  const old = await machine.manage<Requested>(
    'agents',
    'requests',
    'wait',
    'alpha',
    first.request.request_id,
  );
  expect(old.answer).toBe(first.answer);
  await machine.manage('agents', 'gateway', 'resume', 'alpha');
  const [third] = left.requests;
  const last = await machine.manage<Requested>('agents', 'requests', 'wait', 'alpha', third!.request_id);
  // The stand-in counts the turns of a conversation, which it reads from its own files.
  expect(last.answer).toContain('The third (turn 3 of this conversation)');
  const mail = await machine.manage<{ messages: { subject: string }[] }>('agents', 'mail', 'list', 'alpha');
  expect(mail.messages.map(({ subject }) => subject)).toEqual(['Kept']);
  expect(existsSync(join(previous, 'dist/programs/houmao-gateway.js'))).toBe(true);
});

const facts = ({ request_id, state, prompt_preview }: Listed['requests'][number]) => ({
  request_id,
  state,
  prompt_preview,
});
