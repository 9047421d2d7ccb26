import type { PromptSettings } from '../../agent/target/agent-target.js';
import type { Clock } from '../../foundation/clock.js';
import { newTurnId } from '../../foundation/ids.js';
import { spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { Sessions } from '../sessions/sessions.js';
import { interruptDirectly, promptDirectly } from './direct-turns.js';
import {
  type InterruptResult,
  isRefused,
  newRequestId,
  noSession,
  notHeadless,
  refuse,
  sessionRefusal,
  type TurnRefusal,
  whicheverRuns,
} from './submissions.js';

/** A prompt that a gateway forwards to this server. */
export interface ForwardedPrompt extends PromptSettings {
  /** Not trimmed. */
  readonly prompt: string;
  readonly turnId: string | null;
}

/** A wait far longer than any turn; the caller's connection ends it. */
const dayMilliseconds = 86_400_000;

/**
 * Runs a turn for the gateway of an agent. Nothing here calls the gateway, which waits for this answer. A repeated call
 * for a turn that was forwarded before waits for that turn.
 * @returns null once the turn has ended.
 */
export async function runForwarded(
  sessions: Sessions,
  agent: ManagedAgent,
  { prompt, turnId: given, chatSession, execution }: ForwardedPrompt,
  clock: Clock,
  gone: AbortSignal,
): Promise<TurnRefusal | null> {
  if (agent.transport === 'tui') return notHeadless(spokenName(agent), 'internal');
  const held = sessions.of(agent);
  if (!held) return noSession(agent);
  const turnId = given ?? newTurnId();
  const names = { turnId, requestId: newRequestId() };
  const order = { way: 'turns', prompt, chatSession, execution, key: null, metadata: null } as const;
  try {
    const begun = await held.use(async (owned) => {
      if (owned.target.remote) return refuse('busy', runByAnother(agent));
      if (owned.records.turn(turnId)) return null;
      return promptDirectly(owned, spokenName(agent), order, names, clock);
    });
    if (begun && isRefused(begun)) return begun;
    const stateOf = (): string | null => held.read((records) => records.turn(turnId)?.state ?? null, null);
    if (stateOf() === null) return refuse('busy', runElsewhere(agent));
    while (stateOf() === 'running' && !gone.aborted) await held.ended(turnId, dayMilliseconds, gone);
    return stateOf() === 'running'
      ? refuse('unavailable', `Turn ${turnId} goes on; the server is stopping. Look up the turn later.`)
      : null;
  } catch (error) {
    return sessionRefusal(error, 'requests');
  }
}

/** Interrupts the running turn for the gateway of an agent. Nothing here calls the gateway, which waits for this answer. */
export async function interruptForwarded(
  sessions: Sessions,
  agent: ManagedAgent,
  clock: Clock,
): Promise<InterruptResult> {
  if (agent.transport === 'tui') return notHeadless(spokenName(agent), 'internal');
  const held = sessions.of(agent);
  if (!held) return noSession(agent);
  try {
    if (held.read((records) => records.running(), null) === null) return { met: 'nothing' };
    const interrupted = await held.use(async (owned) =>
      owned.target.remote
        ? refuse('busy', runByAnother(agent))
        : interruptDirectly(owned, clock, whicheverRuns),
    );
    return interrupted ?? refuse('busy', runElsewhere(agent));
  } catch (error) {
    return sessionRefusal(error, 'requests');
  }
}

/** Explains that the manifest names another server. It may be this server, under a name that it does not know as its own. */
const runByAnother = (agent: ManagedAgent): string =>
  `The manifest of agent \`${spokenName(agent)}\` names another server, or this one by a name that it was not given (houmao-server --allowed-host).`;

/**
 * Explains that the agent's own gateway runs the turns and has to be called; one that forwards its prompts never owns the
 * turns.
 */
const runElsewhere = (agent: ManagedAgent): string =>
  `Another program runs the turns of agent \`${spokenName(agent)}\`. Prompt or interrupt it with POST /houmao/agents/${agent.trackedAgentId}/requests.`;
