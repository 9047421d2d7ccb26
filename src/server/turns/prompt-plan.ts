import { replaced } from '../../dispatch/readiness.js';
import { refuse, type TurnRefusal } from './turn-refusal.js';

/** The route of a prompt: the one for every agent, or the one for turns of headless agents. */
export type PromptWay = 'requests' | 'turns';

/** The state of a headless agent, as its gateway reports it. */
export interface HeadlessFacts {
  readonly admission: 'open' | 'blocked_unavailable' | 'blocked_reconciliation';
  readonly running: boolean;
  readonly activeTurnId: string | null;
  readonly resumable: boolean;
  readonly sessionLive: boolean;
  /** The conversation that is pinned. */
  readonly current: string | null;
}

/** The facts that decide where a prompt goes. */
export interface PromptFacts {
  readonly name: string;
  readonly way: PromptWay;
  readonly transport: 'tui' | 'headless';
  readonly hasExecution: boolean;
  readonly wantsCurrent: boolean;
  /**
   * The report of its live gateway; `terminal` for an agent in a terminal, whose gateway is not asked; null where no
   * gateway lives.
   */
  readonly gateway: HeadlessFacts | 'terminal' | null;
}

/** Decides whether a prompt goes through the gateway or straight to the agent, or why it goes nowhere. Pure. */
export function planPrompt(facts: PromptFacts): 'gateway' | 'direct' | TurnRefusal {
  const { name, way, transport, gateway } = facts;
  if (transport === 'tui') {
    if (way === 'turns') return notHeadless(name, 'prompt');
    if (gateway !== null && facts.hasExecution) return noExecution(name);
    return gateway === null ? 'direct' : 'gateway';
  }
  if (gateway === null || gateway === 'terminal') return 'direct';
  if (gateway.admission === 'blocked_reconciliation') return refuse('busy', replaced);
  if (gateway.running || gateway.activeTurnId !== null) return activeTurn(name, gateway.activeTurnId, queues);
  if (!gateway.resumable || !gateway.sessionLive || gateway.admission !== 'open')
    return refuse('unavailable', `Agent \`${name}\` is unavailable: its gateway cannot reach it.`);
  if (facts.wantsCurrent && gateway.current === null) return noConversation;
  return 'gateway';
}

/** @param way the way to make a prompt wait for the end of the turn. */
export const activeTurn = (name: string, turnId: string | null, way: string): TurnRefusal => ({
  ...refuse('busy', `Agent \`${name}\` works${turnId === null ? '' : ` on turn \`${turnId}\``}; ${way}.`),
  ...(turnId !== null && { activeTurnId: turnId }),
});

const queues = '`/gateway/requests` queues a prompt behind it';
/** The way for an agent without a gateway. */
export const queuesWithGateway = 'with a gateway attached, `/gateway/requests` queues a prompt behind it';

/** The alternative of an agent in a terminal to an operation of headless agents; none for calls between gateway and server. */
const instead = {
  prompt: ' Prompt it with POST …/requests.',
  interrupt: ' Interrupt it with POST …/requests.',
  turn: ' Its turns are at GET …/turns/{turn_id}/record.',
  internal: '',
} as const;

export const notHeadless = (name: string, asked: keyof typeof instead): TurnRefusal =>
  refuse(
    'not_headless',
    `Agent \`${name}\` runs in a terminal; this operation is for headless agents.${instead[asked]}`,
  );

export const noExecution = (name: string): TurnRefusal =>
  refuse('invalid', `Agent \`${name}\` runs in a terminal, which takes no \`execution\`.`);

const noConversation = refuse('busy', 'The agent has no pinned conversation yet; use mode auto or new.');
