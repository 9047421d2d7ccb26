import { describe, expect, test } from 'vitest';
import type { AgentTool } from './agent-paths.js';
import { roleWords } from './brain-of.js';
import { type Schemas, type ServerStage, serverStage, type TurnRecord } from './server-stage.js';
import { onlyCall } from './server-turns.js';

/** Also its version is known: on a busy machine it is learnt only now, and without it Gemini CLI's composer cannot be read. */
const ready = {
  surface: { accepting_input: 'yes', editing_input: 'no', ready_posture: 'yes' },
  tracked_session: { observed_tool_version: expect.stringMatching(/\d+\.\d+\.\d+/) },
};
const working = { turn: { phase: 'active' }, parsed_surface: { business_state: 'working' } };

/** The terminal, by its own name. */
const stateOf = async ({ askServer, identity }: ServerStage): Promise<Schemas['TerminalState']> =>
  (await askServer('GET', `/houmao/terminals/${identity.terminal_id}/state`)).body;

const shows = (stage: ServerStage, wanted: object) => expect.poll(() => stateOf(stage)).toMatchObject(wanted);

/** A prompt that was answered once, and whole. */
async function answered(stage: ServerStage, text: string): Promise<TurnRecord> {
  const turn = await stage.say(text);
  const { serial } = onlyCall(stage, text);
  expect(turn).toMatchObject({
    tool: stage.tool,
    delivery: { state: 'confirmed' },
    // The first prompt of Gemini CLI has the role in front.
    answer: {
      text: expect.stringMatching(new RegExp(`^FAKEREPLY-${serial} <<(?:=== .*\n\n)?${text}>>$`, 's')),
    },
  });
  await shows(stage, ready);
  return turn;
}

async function interrupts(stage: ServerStage, text: string): Promise<void> {
  const turnId = await stage.prompt(`${text} [[delay=30000]]`);
  await stage.fake.turn(text);
  await shows(stage, working);
  expect(await stage.interrupt()).toMatchObject({ disposition: 'accepted' });
  expect(await stage.record(turnId)).toMatchObject({ state: 'ended', outcome: 'interrupted' });
  await expect.poll(() => stage.fake.turns(text)).toMatchObject([{ aborted: true }]);
  await shows(stage, ready);
}

/** Tests that hold for each of the CLIs in a terminal that a server found. */
export function testServerTerminal(tool: AgentTool): void {
  describe(`${tool} in a terminal, found by a server`, () => {
    const current = serverStage(tool, 'tui');

    test('is described under its name and under its terminal', async () => {
      const stage = current();
      await shows(stage, ready);
      expect(stage.identity).toMatchObject({
        transport: 'tui',
        tool,
        agent_name: 'HOUMAO-alpha',
        terminal_id: expect.stringMatching(/^[0-9a-f]{8}$/),
      });
      const state = await stateOf(stage);
      expect(state).toMatchObject({
        terminal_id: stage.identity.terminal_id,
        turn: { phase: 'ready' },
        diagnostics: { availability: 'available', process_state: 'tui_up', parse_status: 'parsed' },
        tracked_session: { tool },
      });
      expect((await stage.ask('GET', '/state')).body).toMatchObject({
        availability: 'available',
        turn: { phase: 'ready', active_turn_id: null },
      });
    });

    test('a prompt is typed by the server, by the gateway, and by the server again, in one conversation', async () => {
      const stage = current();
      await shows(stage, ready);
      expect(await answered(stage, 'said before the gateway')).toMatchObject({ origin: 'direct' });
      await stage.attach();
      expect(await answered(stage, 'said through the gateway')).toMatchObject({ origin: 'queue' });
      await stage.detach();
      await answered(stage, 'said after the gateway');
      const { userTexts, instructions } = onlyCall(stage, 'said after the gateway');
      expect([instructions, ...userTexts].join('\n').split(roleWords)).toHaveLength(2);
      expect(userTexts.flatMap((text) => /said \w+ the gateway/.exec(text)?.[0] ?? [])).toEqual([
        ...['said before the gateway', 'said through the gateway', 'said after the gateway'],
      ]);
    });

    test('an interrupt ends what it works on, with a gateway and without one', async () => {
      const stage = current();
      await shows(stage, ready);
      await interrupts(stage, 'think for long');
      await stage.attach();
      await interrupts(stage, 'think for longer');
      await stage.detach();
      expect(await stage.interrupt()).toMatchObject({ disposition: 'no_op' });
    });

    test('a turn outlives its server; the next one tells of its end, and types the next prompt', async () => {
      const stage = current();
      await shows(stage, ready);
      const turnId = await stage.prompt('hold on [[delay=4000]]');
      await stage.fake.turn('hold on');
      await stage.killServer();
      await stage.startServer();
      await expect.poll(async () => (await stage.ask('GET', '')).status).toBe(200);
      expect(await stage.record(turnId)).toMatchObject({
        outcome: 'completed',
        error: null,
        answer: { text: expect.stringContaining('<<hold on>>') },
      });
      expect(onlyCall(stage, 'hold on')).toMatchObject({ status: 200, aborted: false });
      await shows(stage, ready);
      await answered(stage, 'go on then');
    });
  });

  describe(`${tool} in a terminal, stopped by its server`, () => {
    const current = serverStage(tool, 'tui');

    test('leaves nothing that runs, neither while it works nor its gateway', async () => {
      const stage = current();
      await shows(stage, ready);
      await stage.attach();
      await stage.prompt('cut short [[delay=30000]]');
      await stage.fake.turn('cut short');
      const { status, body } = await stage.ask('POST', '/stop');
      expect([status, body]).toEqual([200, expect.objectContaining({ success: true })]);
      expect([stage.agentProcesses(), stage.hasTmuxSession()]).toEqual([[], false]);
      expect((await stage.ask('GET', '')).status).toBe(404);
    });
  });
}
