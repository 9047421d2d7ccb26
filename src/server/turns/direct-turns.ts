import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import type { DirectRefusal } from '../../dispatch/direct-prompt.js';
import { agentUnavailable, notAtTurn, obstacleFor, toolHasEnded } from '../../dispatch/readiness.js';
import type { Clock } from '../../foundation/clock.js';
import type { StopOutcome } from '../../run/running-turn.js';
import type { TurnRow } from '../../turn/turn-table.js';
import type { OwnedSession } from '../sessions/owned-session.js';
import {
  activeTurn,
  digestOf,
  type InterruptAim,
  type InterruptResult,
  keptInterrupt,
  type Met,
  outcomeUnknown,
  type Prompted,
  queuesWithGateway,
  refuse,
  type SubmissionNames,
  type SubmittedPrompt,
  type TakenPrompt,
  type TurnRefusal,
  whenUntaken,
} from './submissions.js';

/**
 * The time for which an interrupt waits for the end of the turn. After it the answer is sent, and the signals continue in
 * the background.
 */
const endMilliseconds = 500;

/**
 * The longest wait for a terminal that has just done something: it is ready after a short rest, and its caller need not
 * repeat the prompt.
 */
const settleMilliseconds = 3000;
const lookAgainMilliseconds = 100;

/**
 * Hands a prompt to the agent, as its owner. Its key is new: AgentTurns has looked.
 * @throws the fault that keeps the session from being stored or read.
 */
export async function promptDirectly(
  owned: OwnedSession,
  name: string,
  prompt: SubmittedPrompt,
  names: SubmissionNames,
  clock: Clock,
): Promise<Prompted> {
  const { prompts, records, keys, slot, target, axes } = owned;
  const { key } = prompt;
  const taken: TakenPrompt[] = [];
  const claimed = (): void => {
    const answer: TakenPrompt = { ...names, turnIndex: records.nextIndex(), queuedAs: null };
    // A transaction may be tried again.
    taken[0] = answer;
    owned.metadata.insert(names.turnId, prompt.metadata);
    if (key === null) return;
    keys.insert(key, {
      digest: digestOf(prompt),
      subject: names.turnId,
      answer: JSON.stringify(answer),
      at: clock.now().getTime(),
    });
  };
  const { chatSession, execution } = prompt;
  if (target.interactive) await settled(owned, clock);
  if (target.terminal && toolHasEnded(target.terminal)) return toolEnded(target.terminal);
  const direct = { prompt: prompt.prompt, chatSession, execution, force: false };
  const sent = await prompts.send(direct, { turnId: names.turnId, claimed });
  const [begun] = taken;
  // A turn that was begun has a record of its end, even if it ended at once.
  if (begun && (!('code' in sent) || !target.interactive)) return { ...begun, replayed: false };
  if (!('code' in sent)) throw new Error('A turn was begun without its claim.');
  if (begun) return notTaken(records.turn(names.turnId), names.turnId, sent.detail);
  const holder = slot.holder?.turnId ?? null;
  return refusalOf(sent, name, holder, obstacleFor('direct', axes.now())?.detail ?? sent.detail);
}

/** Returns the answer for a prompt that was typed and is not known to be taken. */
function notTaken(turn: TurnRow | null, turnId: string, detail: string): TurnRefusal {
  return (turn && whenUntaken(turn)) ?? outcomeUnknown(`${detail} See turn ${turnId}.`, turnId);
}

async function settled({ axes }: OwnedSession, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + settleMilliseconds;
  while (obstacleFor('direct', await axes.observe())?.code === 'not_ready' && clock.monotonic() < deadline)
    await clock.sleep(lookAgainMilliseconds);
}

/**
 * Returns the refusal for a tool that has ended: nothing is typed into the shell that may be left, and waiting does not
 * help.
 */
const toolEnded = ({ names }: Pick<AgentTerminal, 'names'>): TurnRefusal =>
  refuse(
    'unavailable',
    `The tool has ended in its terminal. Start ${names.tool} there again: ${names.attachCommand}`,
  );

function refusalOf(
  { code, detail }: DirectRefusal,
  name: string,
  holder: string | null,
  obstacle: string,
): TurnRefusal {
  switch (code) {
    case 'not_ready':
      return holder === null ? refuse('busy', obstacle) : activeTurn(name, holder, queuesWithGateway);
    case 'blocked_reconciliation':
    case 'missing_current_chat_session':
      return refuse('busy', detail);
    case 'invalid_chat_session':
    case 'invalid_execution':
      return refuse('invalid', detail);
    case 'unavailable':
    case 'dispatch_failed':
      return refuse('unavailable', detail);
  }
}

/** Stops the work of the agent, as its owner. Its key is new: AgentTurns has looked. */
export async function interruptDirectly(
  owned: OwnedSession,
  clock: Clock,
  { key, ifTurn }: InterruptAim,
): Promise<InterruptResult> {
  const { turns, target, axes, records } = owned;
  const turnId = turns.liveTurnId;
  if (ifTurn !== null && ifTurn !== turnId) return refuse('other_turn', notAtTurn(ifTurn, turnId));
  if (turnId === null && !target.interactive) return kept(owned, key, { met: 'nothing' });
  if (target.interactive) {
    const { agent } = await axes.observe();
    if (!agent.connected) return refuse('unavailable', agentUnavailable(agent.detail));
    if (turnId === null && target.terminal?.state.phase === 'ready')
      return kept(owned, key, { met: 'nothing' });
  }
  const index = turnId === null ? null : (records.turn(turnId)?.turn_index ?? null);
  await kept(owned, key, { met: 'work', turnId, turnIndex: index, over: false });
  const stopping = turnId === null ? target.interrupt() : turns.interrupt(turnId);
  const outcome = await inTime(stopping, clock);
  if (outcome?.outcome === 'no_op') return { met: 'nothing' };
  if (outcome?.outcome === 'failed') return refuse('signal_failed', outcome.error.detail);
  return { met: 'work', turnId, turnIndex: index, over: outcome !== null };
}

/** Stores an answer under its key, and returns it. */
async function kept(owned: OwnedSession, key: string | null, answer: Met): Promise<Met> {
  if (key !== null) await owned.keepAnswer(key, keptInterrupt(answer));
  return answer;
}

/** Returns null when it takes longer. */
async function inTime(stopping: Promise<StopOutcome>, clock: Clock): Promise<StopOutcome | null> {
  const answered = new AbortController();
  const patience = clock.sleep(endMilliseconds, answered.signal).then(() => null);
  try {
    return await Promise.race([stopping, patience]);
  } finally {
    answered.abort();
  }
}
