// The words and figures of the console: pure, so that tests can hold them without a browser.
import type { Schemas } from '@houmao/sdk/managed-agent';

/** An agent as the list has it. */
export interface ListedAgent extends Overview {
  /** Where an agent of another host is; left out for those of this host. */
  readonly elsewhere?: OtherPlace | undefined;
  /** Whether only its state is known, and no turn, queue or question of it. */
  readonly unseen?: boolean | undefined;
}
type Overview = Schemas['AgentOverview'];

/** The place of an agent of another host. */
export interface OtherPlace extends Pick<Schemas['AgentPlace'], 'host' | 'reference' | 'presence'> {
  /** When its host was last heard of, in milliseconds of the browser's clock; null for one that never was. */
  readonly heardAt: number | null;
}

/** Returns the name by which calls reach the agent. */
export const refOf = ({
  elsewhere,
  tracked_agent_id,
}: Pick<ListedAgent, 'elsewhere' | 'tracked_agent_id'>): string => elsewhere?.reference ?? tracked_agent_id;

/** Returns a text that changes with the agent and with the presence of its host: what was read of an agent is read again then. */
export const sourceOf = (agent: ListedAgent): string => `${refOf(agent)} ${agent.elsewhere?.presence ?? ''}`;

const stateWords: Readonly<Record<ListedAgent['state'], string>> = {
  needs_person: 'needs you',
  fault: 'fault',
  replaced: 'replaced',
  unreachable: 'unreachable',
  tool_ended: 'tool ended',
  working: 'working',
  busy: 'busy',
  ready: 'ready',
  unknown: 'unknown',
};

/** Returns the word for a state, also for one that a later server may have. */
export const stateWord = (state: string): string => wordIn(stateWords, state);

const wordIn = (words: Readonly<Record<string, string>>, word: string): string =>
  words[word] ?? word.replaceAll('_', ' ');

/** Returns the name that people gave the agent, or its id where it has none; with its host if that is another one. */
export const nameOf = ({
  elsewhere,
  agent_name,
  tracked_agent_id,
}: Pick<ListedAgent, 'elsewhere' | 'agent_name' | 'tracked_agent_id'>): string =>
  elsewhere?.reference ?? agent_name?.replace(/^HOUMAO-/, '') ?? tracked_agent_id;

/** Returns the line that says most about an agent now: its question, its difficulty, its prompt, its latest answer. */
export function latestOf(agent: ListedAgent): string {
  const { question, detail, running, last_turn: last } = agent;
  if (question !== null) return withoutRules(question).trim() || unreadQuestion;
  if (agent.unseen && agent.state === 'needs_person') return unreadQuestion;
  if (detail !== null && agent.state !== 'ready' && agent.state !== 'working') return detail;
  if (running !== null) return running.prompt_preview ?? `A ${wordIn(originWords, running.origin)} runs.`;
  if (last === null) return agent.unseen ? '' : 'No turn yet.';
  return last.error?.detail ?? last.answer_preview ?? outcomeWord(last.outcome);
}

const unreadQuestion = 'It asks a person something.';

const originWords = {
  queue: 'prompt',
  direct: 'direct prompt',
  reminder: 'reminder',
  notifier: 'notice of mail',
} as const;

/** Returns how a turn ended, in a word. */
export const outcomeWord = (outcome: string | null): string => outcome ?? 'ended, and it is not known how';

/** Returns the moment since which an agent is as it is, as far as its turns tell. */
export const sinceOf = ({ running, last_turn }: ListedAgent): string | null =>
  running?.started_at_utc ?? last_turn?.ended_at_utc ?? null;

/** Shortens the rules that a terminal draws over its whole width. */
export const withoutRules = (text: string): string =>
  text.replace(/([─━╌┄═])\1{11,}/g, (_all, sign) => sign.repeat(12));

const steps = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** Returns the time since a moment in its largest unit, such as `5m`; empty for no moment. */
export function ageOf(moment: string | null, now: number): string {
  if (moment === null) return '';
  const milliseconds = now - Date.parse(moment);
  return Number.isNaN(milliseconds) ? '' : lengthOf(milliseconds);
}

/** Returns a length of time in its largest unit. @param milliseconds negative for none */
export function lengthOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  for (const [unit, length] of steps) if (seconds >= length) return `${Math.floor(seconds / length)}${unit}`;
  return `${seconds}s`;
}

/** Returns the usage of a turn on one line: tokens in and out, and the cost where the tool reports it; empty without one. */
export function usageOf(usage: Schemas['TurnUsage'] | null): string {
  if (usage === null) return '';
  const { input_tokens, output_tokens, total_tokens, total_cost_usd } = usage.amounts;
  const tokens =
    input_tokens !== undefined || output_tokens !== undefined
      ? `${shortNumber(input_tokens)} tokens in, ${shortNumber(output_tokens)} out`
      : total_tokens !== undefined
        ? `${shortNumber(total_tokens)} tokens`
        : '';
  const cost = total_cost_usd === undefined ? '' : `$${total_cost_usd.toFixed(2)}`;
  const scope = usage.scope === 'conversation' ? ' (conversation)' : '';
  return (
    [tokens, cost].filter((part) => part !== '').join(', ') + (tokens === '' && cost === '' ? '' : scope)
  );
}

const shortNumber = (value: number | undefined): string => {
  if (value === undefined) return '?';
  if (value < 1000) return String(value);
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`;
};

/** Returns the agents whose name, tool, state or latest line contains all words of the filter. */
export function filtered(agents: readonly ListedAgent[], filter: string): ListedAgent[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return agents.filter((agent) => {
    const text = [nameOf(agent), agent.tool, stateWord(agent.state), latestOf(agent)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
