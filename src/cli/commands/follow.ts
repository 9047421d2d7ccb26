import type { Schemas } from '@houmao/sdk';
import type { AnyGateway } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError } from '../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords } from '../flags/options.js';
import { callFailure } from '../words/call-failure.js';
import { CommandFailure, exitCodes, type Remedy } from '../words/command-failure.js';
import { ShownTurn, showQuestion } from '../words/streamed-answer.js';
import { interruptible, type Output } from '../words/terminal-output.js';
import { withWays } from '../words/waiting-failure.js';
import { type Way, wayTo } from './way-to.js';

type TurnPart = Schemas['TurnPart'];

/** A command that follows an agent, and where to show it. */
interface Following {
  readonly name: string;
  readonly flags: ServerFlag;
  readonly output: Output;
  readonly signal: AbortSignal;
}

/**
 * `agents follow`: shows a turn while it runs; without an id, the turn that runs now and every later one, until Ctrl-C. Text of the
 * agent goes to standard output, everything else to standard error.
 */
export async function followAgent(
  name: string,
  turnId: string | undefined,
  flags: ServerFlag,
  host: AgentHost,
  output: Output,
): Promise<void> {
  await interruptible(async (signal) => {
    const way = await wayTo(name, flags, host, output);
    const following = { name, flags, output, signal };
    if (turnId !== undefined) await followTurn(way, turnId, following);
    else if (way.by === 'gateway') await followTurns(way, following);
    else await followRunning(way, following);
    if (signal.aborted) throw stopped(turnId, following);
  });
}

async function followTurn(
  way: Way,
  turnId: string,
  { name, flags, output, signal }: Following,
): Promise<void> {
  const shown = new ShownTurn(output);
  const answer = `houmao-mgr agents answer ${name}${serverFlagWords(flags)}`;
  const turn = way.by === 'gateway' ? way.client.turn(turnId) : way.agent.turn(turnId);
  try {
    for await (const part of turn.stream({ signal })) {
      output.object(part);
      shown.show(part);
      if (part.kind === 'dialog_shown') showQuestion(part, answer, output);
      if (part.kind === 'ended') output.progress(endWords(part));
    }
  } catch (error) {
    if (!isCallError(error)) throw error;
    throw callFailure(error, error.detail, [goOn(turnId, { name, flags })]);
  }
}

function endWords({ data: { turn_id, outcome, error } }: Extract<TurnPart, { kind: 'ended' }>): string {
  return `${turn_id} ${outcome ?? 'ended'}${error === null ? '' : `: ${error.detail}`}`;
}

/** Follows the turns of an agent by the events of its gateway. */
async function followTurns(way: Extract<Way, { by: 'gateway' }>, following: Following): Promise<void> {
  const { signal, output, name } = following;
  const { running, after } = await runningNow(way.client);
  if (running === null) output.progress(`${name} runs no turn now; waiting for the next one.`);
  else {
    output.progress(`${running} (runs already)`);
    await followTurn(way, running, following);
  }
  for await (const event of way.client.events({ after, kinds: ['turn_claimed'], signal })) {
    if (event.kind !== 'turn_claimed' || event.data.turn_id === running) continue;
    output.progress(`${event.data.turn_id} (${event.data.origin})`);
    await followTurn(way, event.data.turn_id, following);
    if (signal.aborted) return;
  }
}

/** Returns the turn that runs now, and the number of the last event: past events show both. */
async function runningNow({
  listEvents,
}: Pick<AnyGateway, 'listEvents'>): Promise<{ running: string | null; after: number }> {
  let running: string | null = null;
  for (let after = 0; ; ) {
    const { events, next_after } = await listEvents({ query: { after, limit: pageLength } });
    for (const event of events) {
      if (event.kind === 'turn_claimed') running = event.data.turn_id;
      else if (event.kind === 'turn_ended' && event.data.turn_id === running) running = null;
    }
    if (events.length < pageLength) return { running, after: next_after };
    after = next_after;
  }
}

const pageLength = 200;

/** Follows the running turn of an agent without a gateway: nothing reports its later ones. */
async function followRunning(way: Extract<Way, { by: 'server' }>, following: Following): Promise<void> {
  const { turn } = await way.agent.getAgentState();
  if (turn.active_turn_id !== null) return followTurn(way, turn.active_turn_id, following);
  const { name, flags } = following;
  throw new CommandFailure(`${name} runs no turn now.`, exitCodes.failed, {
    errorCode: 'no_turn',
    remedies: [['prompt it', `houmao-mgr agents prompt ${name} "Hello"${serverFlagWords(flags)}`]],
  });
}

function stopped(turnId: string | undefined, { name, flags }: Following): CommandFailure {
  return withWays(
    'Stopped following; the agent goes on.',
    [goOn(turnId, { name, flags })],
    exitCodes.stopped,
  );
}

const goOn = (turnId: string | undefined, { name, flags }: Pick<Following, 'name' | 'flags'>): Remedy => [
  'go on',
  `houmao-mgr agents follow ${name}${turnId === undefined ? '' : ` ${turnId}`}${serverFlagWords(flags)}`,
];
