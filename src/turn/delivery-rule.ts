import type { AgentTarget } from '../agent/target/agent-target.js';

/** When a prompt counts as delivered, and what else belongs into the transaction that notes it. */
export interface DeliveryRule {
  countsWhen: 'handed_over' | 'confirmed';
  delivered(atUtc: string): void;
}

/** What a process of its own was given it has; an agent that stays has to show that it took it. */
export const deliveryRuleOf = (
  { interactive }: Pick<AgentTarget, 'interactive'>,
  delivered: (atUtc: string) => void = () => undefined,
): DeliveryRule =>
  interactive
    ? { countsWhen: 'confirmed', delivered }
    : { countsWhen: 'handed_over', delivered: () => undefined };
