import { typeableText } from '../../../src/terminal/terminal-input.js';
import { isSamePrompt } from '../../../src/tools/pasted-prompt.js';
import type { Facts, LedgerRow, SentPrompt, Violation } from './facts.js';
import { tagsIn } from './prompts.js';

/** The prompts that the agent took, by their tags. */
export interface Takes {
  /** Where in the ledger each was taken first. */
  first: ReadonlyMap<string, number>;
  violations: readonly Violation[];
  /** Prompts that somebody submitted, or typed into so late that nobody could see it before Enter. */
  races: readonly string[];
}

type Taking = Pick<Facts, 'ledger' | 'prompts' | 'drafts' | 'personKeys' | 'blindMilliseconds'>;

/** An Enter of somebody's submits whatever stands in the composer, for so long after it was pressed. */
const enterMilliseconds = 1500;

/** Between the last look and Enter, on a busy machine. */
const instantMilliseconds = 300;

/** Whether a row says that the agent took something; what waits in its queue gets a second row when its turn has come. */
const isTake = ({ prompt, command, dialog }: LedgerRow): boolean =>
  prompt !== undefined || (command !== undefined && dialog === undefined);

/** Pure: compares what the agent took with what it was to be given. */
export function readTakes({ ledger, prompts, drafts, personKeys, blindMilliseconds }: Taking): Takes {
  const races: string[] = [];
  const byTag = new Map(prompts.map((each) => [each.tag, each]));
  const first = new Map<string, number>();
  const violations: Violation[] = [];
  const taken = new Map<string, number>();
  const isByPerson = (at: number) =>
    personKeys.some((each) => each.key === 'Enter' && at >= each.at && at <= each.at + enterMilliseconds);
  /** When what waits in the agent's queue was submitted. */
  const queuedAt = new Map<string, number>();
  for (const [index, row] of ledger.entries()) {
    if (!isTake(row) && row.queued === undefined) continue;
    const text = row.text ?? row.command ?? '';
    const tags = tagsIn(text);
    for (const tag of tags) if (!first.has(tag)) first.set(tag, index);
    if (!isTake(row)) {
      queuedAt.set(text, Date.parse(row.at));
      continue;
    }
    for (const tag of tags) taken.set(tag, (taken.get(tag) ?? 0) + 1);
    const waited = row.source === 'queued' || row.source === 'absorbed';
    const at = (waited ? queuedAt.get(text) : undefined) ?? Date.parse(row.at);
    if (isByPerson(at)) {
      races.push(...tags.filter((tag) => byTag.has(tag)));
      continue;
    }
    const seenBefore = at - blindMilliseconds - instantMilliseconds;
    const isUnseen = (tag: string) => drafts.some((draft) => draft.tag === tag && draft.at >= seenBefore);
    const [raced, ...others] = tags.filter((tag) => !isUnseen(tag));
    if (raced !== undefined && byTag.has(raced) && others.length === 0 && tags.length > 1) {
      races.push(raced);
      continue;
    }
    const fault = faultOf(text, tags, byTag);
    if (fault !== null) violations.push(fault);
  }
  for (const [tag, times] of taken)
    if (times > 1 && byTag.has(tag))
      violations.push({ kind: 'doubled', what: `${tag} was taken ${times} times` });
  return { first, violations, races };
}

function faultOf(
  text: string,
  tags: readonly string[],
  prompts: ReadonlyMap<string, SentPrompt>,
): Violation | null {
  const [tag] = tags;
  const prompt = tag === undefined ? undefined : prompts.get(tag);
  if (tags.length > 1) return { kind: 'merged', what: `${tags.join(' and ')} in one: ${shown(text)}` };
  if (prompt === undefined)
    return tag === undefined
      ? { kind: 'changed', what: `the agent took what nobody sent: ${shown(text)}` }
      : { kind: 'merged', what: `somebody's draft ${tag} was submitted: ${shown(text)}` };
  return isSamePrompt('claude', typeableText(prompt.prompt).text, text)
    ? null
    : { kind: 'changed', what: `${tag} (${prompt.shape}) came as ${shown(text)}` };
}

const shown = (text: string): string =>
  JSON.stringify(text.length <= 240 ? text : `${text.slice(0, 120)} … ${text.slice(-120)}`);
