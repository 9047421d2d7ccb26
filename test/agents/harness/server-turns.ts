import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { AgentTool } from './agent-paths.js';
import { roleWords } from './brain-of.js';
import type { LoggedRequest } from './fake-model/server.js';
import { FAKE_MODEL } from './homes.js';
import { type Schemas, type ServerStage, serverStage } from './server-stage.js';

const FRESH = { chat_session: { mode: 'new' } } as const;
const CURRENT = { chat_session: { mode: 'current' } } as const;

/** The differences between the CLIs when a server runs their turns. */
interface Traits {
  /** A model that the CLI takes for one turn. */
  readonly otherModel: string;
  /** The tool that runs a command, and its argument. */
  readonly shell: readonly [tool: string, argument: string];
  /** Kinds and the CLI's own names of the events of a turn that runs a command. */
  readonly events: readonly string[];
}

const TRAITS: Readonly<Record<AgentTool, Traits>> = {
  claude: {
    otherModel: 'claude-sonnet-4-6',
    shell: ['Bash', 'command'],
    events: [
      'progress system.init',
      'action_request assistant.tool_use',
      'action_result user.tool_result',
      'assistant assistant.text',
      'completion result',
    ],
  },
  codex: {
    otherModel: 'other-model',
    shell: ['exec_command', 'cmd'],
    events: [
      'session thread.started',
      'progress turn.started',
      'action_request item.started.command_execution',
      'action_result item.completed.command_execution',
      'assistant item.completed.agent_message',
      'completion turn.completed',
    ],
  },
  gemini: {
    otherModel: 'gemini-2.5-pro',
    shell: ['run_shell_command', 'command'],
    events: [
      'session init',
      'action_request tool_use',
      'action_result tool_result',
      'assistant message',
      'completion result',
    ],
  },
};

/** Has the model run a command. It prints `tool-42`, or what the brain manifest does not let the agent have. */
function runCommand([tool, argument]: Traits['shell']): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
  const asked = { [argument]: 'printf tool-%s ${NOT_FOR_THE_AGENT-42}', description: 'prints' };
  return `[[tool=${tool} ${JSON.stringify(asked)}]]`;
}

/** The one call at the model with this text. */
export function onlyCall({ fake }: Pick<ServerStage, 'fake'>, text: string): LoggedRequest {
  const calls = fake.turns(text);
  expect(calls.map((call) => call.text)).toEqual([expect.stringContaining(text)]);
  return calls[0]!;
}

/** How often a call has the role: beside the conversation, or in the prompt itself. */
const roleIn = ({ instructions, text = '' }: LoggedRequest) => ({
  beside: instructions.split(roleWords).length - 1,
  inPrompt: text.split(roleWords).length - 1,
});

/** Only Gemini CLI has no other place for a role than the first prompt of a conversation. */
const roleOfTurn = (tool: AgentTool, opensConversation: boolean) =>
  tool === 'gemini' ? { beside: 0, inPrompt: opensConversation ? 1 : 0 } : { beside: 1, inPrompt: 0 };

/** A turn once it has ended. */
async function turnOf(stage: ServerStage, prompt: string, more: object = {}): Promise<Schemas['AgentTurn']> {
  const { status, body } = await stage.ask('POST', '/turns', { prompt, ...more });
  const agent = stage.identity.tracked_agent_id;
  expect([status, body]).toEqual([200, expect.objectContaining({ tracked_agent_id: agent })]);
  return (await stage.ask('GET', `/turns/${body.turn_id}?wait_seconds=40`)).body;
}

const artifactOf = async (stage: ServerStage, turnId: string, name: 'stdout' | 'stderr') =>
  (await fetch(`${stage.url()}/houmao/agents/alpha/turns/${turnId}/artifacts/${name}`)).text();

/** Tests that hold for each of the CLIs when a server launches it headless and runs its turns. */
export function testServerTurns(tool: AgentTool): void {
  const traits = TRAITS[tool];

  describe(`${tool}, launched by a server`, () => {
    const current = serverStage(tool, 'headless');

    test('a turn tells the model role and model of the brain manifest, and leaves record, events and output', async () => {
      const stage = current();
      const ended = await turnOf(stage, `look: ${runCommand(traits.shell)}`, FRESH);
      expect(ended).toMatchObject({ status: 'completed', returncode: 0, error: null });
      const asked = onlyCall(stage, 'look: ');
      expect({ model: asked.model, ...roleIn(asked) }).toEqual({
        model: FAKE_MODEL[tool],
        ...roleOfTurn(tool, true),
      });
      const record = await stage.record(ended.turn_id);
      expect(record).toMatchObject({
        tool,
        origin: 'direct',
        state: 'ended',
        outcome: 'completed',
        model: FAKE_MODEL[tool],
        delivery: { state: 'confirmed' },
        answer: { text: expect.stringMatching(/^FAKEREPLY-\d+ <<toolresult .*tool-42/), truncated: false },
      });
      const { entries } = (await stage.ask('GET', `/turns/${ended.turn_id}/events`))
        .body as Schemas['AgentTurnEvents'];
      // Remarks of the CLI are reported as diagnostics, at no certain place; Claude Code also reports each of its calls to the model.
      const names = entries
        .filter(({ kind }) => kind !== 'diagnostic')
        .map(({ kind, payload }) => `${kind} ${payload?.provider_event_type}`)
        .filter((name) => name !== 'progress system.status');
      // Gemini CLI tells an answer in pieces.
      expect(names.filter((name, index) => name !== names[index - 1])).toEqual(traits.events);
      expect(entries.find(({ kind }) => kind === 'action_result')?.payload?.data).toMatchObject({
        status: 'success',
        result_summary: expect.stringContaining('tool-42'),
      });
      for (const entry of entries)
        expect(entry).toMatchObject({ turn_index: ended.turn_index, payload: { provider: tool } });
      const [stdout, stderr] = [
        await artifactOf(stage, ended.turn_id, 'stdout'),
        await artifactOf(stage, ended.turn_id, 'stderr'),
      ];
      expect(stdout).toBe(readFileSync(String(ended.stdout_path), 'utf8'));
      expect(stderr).toBe(readFileSync(String(ended.stderr_path), 'utf8'));
      expect(stdout).toContain(String(record.provider_session_id));
    });

    test('the current conversation goes on, and a new one begins with its role', async () => {
      const stage = current();
      const first = await turnOf(stage, 'remember the word marmalade', FRESH);
      const second = await turnOf(stage, 'which word was it', CURRENT);
      const third = await turnOf(stage, 'and what was that', FRESH);
      expect([first, second, third].map(({ status }) => status)).toEqual(Array(3).fill('completed'));
      const again = onlyCall(stage, 'which word was it');
      expect(again.userTexts).toContainEqual(expect.stringContaining('remember the word marmalade'));
      expect(roleIn(again)).toEqual(roleOfTurn(tool, false));
      const fresh = onlyCall(stage, 'and what was that');
      expect(fresh.userTexts).not.toContainEqual(expect.stringContaining('marmalade'));
      expect(roleIn(fresh)).toEqual(roleOfTurn(tool, true));
      const conversations = await Promise.all(
        [first, second, third].map(({ turn_id }) => stage.record(turn_id)),
      );
      const [one, same, other] = conversations.map(({ provider_session_id }) => provider_session_id);
      expect(same).toBe(one);
      expect(other).not.toBe(one);
    });

    test('another model is for one turn', async () => {
      const stage = current();
      const execution = { model: { name: traits.otherModel } };
      expect(await stage.say('by another model', { execution })).toMatchObject({ model: traits.otherModel });
      await stage.say('as ever');
      expect(onlyCall(stage, 'by another model').model).toBe(traits.otherModel);
      expect(onlyCall(stage, 'as ever').model).toBe(FAKE_MODEL[tool]);
    });

    test.each([
      ['POST /requests', (stage: ServerStage) => stage.interrupt()],
      ['POST /interrupt', (stage: ServerStage) => stage.ask('POST', '/interrupt')],
    ])('%s ends the turn that runs, and leaves no process', async (how, interrupt) => {
      const stage = current();
      const text = `think for long of ${how}`;
      const turnId = await stage.prompt(`${text} [[delay=30000]]`);
      await stage.fake.turn(text);
      expect(stage.agentProcesses()).not.toEqual([]);
      await interrupt(stage);
      expect(await stage.record(turnId)).toMatchObject({ outcome: 'interrupted' });
      expect((await stage.ask('GET', `/turns/${turnId}`)).body).toMatchObject({ status: 'interrupted' });
      await expect.poll(stage.agentProcesses).toEqual([]);
      expect(await stage.interrupt()).toMatchObject({ disposition: 'no_op', headless_turn_id: null });
    });

    test('a gateway comes and goes; the conversation goes on', async () => {
      const stage = current();
      await stage.say('said before the gateway');
      await stage.attach();
      await stage.say('said through the gateway');
      await stage.detach();
      await stage.say('said after the gateway');
      const { userTexts } = onlyCall(stage, 'said after the gateway');
      expect(userTexts.flatMap((text) => /said \w+ the gateway/.exec(text)?.[0] ?? [])).toEqual([
        ...['said before the gateway', 'said through the gateway', 'said after the gateway'],
      ]);
      for (const text of ['said before', 'said through']) onlyCall(stage, text);
    });

    test('a turn outlives its server; the next one tells of its end', async () => {
      const stage = current();
      const turnId = await stage.prompt('hold on [[delay=3000]]');
      await stage.fake.turn('hold on');
      await stage.killServer();
      expect(stage.agentProcesses()).not.toEqual([]);
      await stage.startServer();
      const busy = await stage.ask('POST', '/turns', { prompt: 'me too' });
      expect(busy).toMatchObject({ status: 409, body: { detail: expect.stringContaining(turnId) } });
      expect(await stage.record(turnId)).toMatchObject({
        outcome: 'completed',
        exit_code: 0,
        error: null,
        answer: { text: expect.stringContaining('<<hold on>>') },
      });
      expect(onlyCall(stage, 'hold on')).toMatchObject({ status: 200, aborted: false });
      expect(stage.fake.turns('me too')).toEqual([]);
    });
  });

  describe(`${tool}, stopped by its server`, () => {
    const current = serverStage(tool, 'headless');

    test('leaves nothing that runs, neither its turn nor its gateway', async () => {
      const stage = current();
      await stage.attach();
      const turnId = await stage.prompt('cut short [[delay=30000]]');
      await stage.fake.turn('cut short');
      const { status, body } = await stage.ask('POST', '/stop');
      expect([status, body]).toEqual([200, expect.objectContaining({ success: true, turn_id: turnId })]);
      expect([stage.agentProcesses(), stage.hasTmuxSession()]).toEqual([[], false]);
      expect((await stage.ask('GET', '')).status).toBe(404);
      expect(stage.fake.turns('cut short')).toMatchObject([{ aborted: true }]);
    });
  });
}
