import { sanitiseLine } from '../../../foundation/text.js';
import { shownName } from '../../../protocols/agent-work.js';
import { standingWord } from '../agent-standing.js';
import { ageWords } from '../local-time.js';
import { usageWords } from '../request-words.js';
import type { Paint } from '../terminal-output.js';
import { cell, cut, rowsOf, shortened, widthOf } from './cells.js';
import { chosenOf, type TopAgent, type TopState } from './top-state.js';

export interface TopFrame {
  readonly agents: readonly TopAgent[];
  readonly state: TopState;
  /** The server that was asked. */
  readonly url: string;
  /** Whether the server gives no answer now. */
  readonly isSilent: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly now: Date;
}

/** The keys, for the last row and for `?`. */
const keys: readonly (readonly [key: string, does: string])[] = [
  ['↑ ↓ or k j', 'choose an agent'],
  ['Enter', 'show its question, prompt, answer and queue; Enter again returns'],
  ['p', 'prompt it'],
  ['a', 'answer the question on its screen'],
  ['i', 'interrupt the turn that runs'],
  ['Esc', 'return to the list'],
  ['q', 'leave'],
];
const hints = 'Enter details  p prompt  a answer  i interrupt  ? keys  q leave';

/** Pure: returns the rows of the window, each as wide as it at most. */
export function topFrame(frame: TopFrame): string[] {
  const { agents, state, url, isSilent, columns, rows } = frame;
  const asking = agents.filter((one) => one.state === 'needs_person').length;
  const counted = `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}`;
  const head = [counted, ...(asking > 0 ? [`${asking} ${asking === 1 ? 'needs' : 'need'} you`] : []), url];
  const title = isSilent ? `No answer from ${url}; as last seen.` : head.join('  ');
  const bottom = bottomOf(frame);
  const space = Math.max(0, rows - 1 - bottom.length);
  const shown = [title, ...bodyOf(frame, space).slice(0, space)];
  const filled = [...shown, ...Array.from({ length: Math.max(0, space + 1 - shown.length) }, () => '')];
  return [...filled, ...bottom].slice(0, rows).map((row) => cut(row, columns));

  function bodyOf({ now }: TopFrame, most: number): string[] {
    if (state.view === 'help') return ['', ...keys.map(([key, does]) => `  ${key.padEnd(12)}${does}`)];
    const chosen = chosenOf(agents, state);
    if (chosen === null) return ['', 'No agents. Launch one: houmao-mgr agents launch --help'];
    if (state.view === 'details') return detailsOf(chosen, columns, now);
    const [header = '', ...lines] = topTable(agents, now, columns, chosen);
    // The chosen agent stays in the window.
    const at = agents.indexOf(chosen);
    const first = Math.max(0, Math.min(at - Math.floor((most - 1) / 2), lines.length - (most - 1)));
    return [header, ...lines.slice(first)];
  }
}

/** The rows below the agents: what is asked of the person, or what the keys do. */
function bottomOf({ agents, state, columns }: TopFrame): string[] {
  const agent = chosenOf(agents, state);
  const name = agent ? shownName(agent) : '';
  switch (state.view) {
    case 'prompt': {
      const ask = `Prompt for ${shortened(name, 20)} (Enter sends, Esc leaves): `;
      return [ask, lastOf(`> ${sanitiseLine(state.typed)}_`, columns)];
    }
    case 'interrupt':
      return [`Interrupt the turn of ${shortened(name, 40)}? y or n`];
    case 'answer': {
      const { text, choices } = state.dialog ?? { text: '', choices: [] };
      return [
        ...rowsOf(text, columns).slice(0, 8),
        ...choices.map(({ number, label }) => `  ${number}  ${shortened(label, columns)}`),
        `Answer ${shortened(name, 40)} with a number; any other key leaves it open.`,
      ];
    }
    default:
      return [state.notice === null ? hints : shortened(state.notice, columns)];
  }
}

/** Returns the end of a text that fits. */
function lastOf(text: string, columns: number): string {
  let shown = [...text];
  while (shown.length > 1 && widthOf(shown.join('')) > columns) shown = shown.slice(1);
  return shown.join('');
}

interface Column {
  readonly title: string;
  readonly most: number;
  /** The columns that have to be there; the others go, the last one first, when the window is narrow. */
  readonly of: (agent: TopAgent, now: Date) => string;
}

const fixed: readonly Column[] = [
  { title: 'STATE', most: 11, of: ({ state }) => standingWord(state) },
  { title: 'AGENT', most: 24, of: (agent) => shownName(agent) },
];
const further: readonly Column[] = [
  { title: 'QUEUE', most: 10, of: queueOf },
  { title: 'AGE', most: 10, of: ageOf },
  { title: 'TOOL', most: 8, of: ({ tool }) => tool },
  { title: 'USED', most: 36, of: ({ last_turn }) => (last_turn?.usage ? usageWords(last_turn.usage) : '-') },
];
/** The least width for what an agent works on. */
const leastWork = 20;
const gap = 2;

/**
 * Returns the agents as a table that fits into that many columns; what they work on gets the space that is left.
 * @param chosen marked at its beginning; undefined for a table without a mark.
 */
export function topTable(
  agents: readonly TopAgent[],
  now: Date,
  columns: number,
  chosen?: TopAgent,
): string[] {
  const mark = chosen ? 2 : 0;
  const widthIn = ({ title, most, of }: Column): number =>
    Math.min(most, Math.max(title.length, ...agents.map((agent) => widthOf(of(agent, now)))));
  const sum = (some: readonly Column[]): number =>
    some.reduce((total, column) => total + widthIn(column) + gap, mark);
  let shown = further;
  while (shown.length > 0 && sum([...fixed, ...shown]) + leastWork > columns) shown = shown.slice(0, -1);
  const work = { title: 'WORKS ON', most: Math.max(1, columns - sum([...fixed, ...shown])), of: workOf };
  const behind = shown.map((column) => ({ ...column, width: widthIn(column) }));
  const all = [
    ...fixed.map((column) => ({ ...column, width: widthIn(column) })),
    { ...work, width: Math.min(work.most, Math.max(widthIn(work), work.title.length)) },
    ...behind,
  ];
  const line = (cells: (column: Column) => string): string =>
    all
      .map((column) => cell(cells(column), column.width))
      .join(' '.repeat(gap))
      .trimEnd();
  return [
    ' '.repeat(mark) + line(({ title }) => title),
    ...agents.map((agent) => markOf(agent, chosen) + line(({ of }) => of(agent, now))),
  ];
}

const markOf = (agent: TopAgent, chosen: TopAgent | undefined): string =>
  chosen === undefined ? '' : agent === chosen ? '> ' : '  ';

/** The colours of a table: of states only, as `agents list` has them. */
export const topPaints: readonly Paint[] = [
  { pattern: /^ *STATE .*/, format: 'bold' },
  { pattern: /^(?:> | {2})?ready(?= )/, format: 'green' },
  { pattern: /^(?:> | {2})?(?:working|busy)(?= )/, format: 'cyan' },
  { pattern: /^(?:> | {2})?needs you(?= )/, format: 'yellow' },
  { pattern: /^(?:> | {2})?(?:unreachable|replaced|fault|tool ended|unknown)(?= )/, format: 'red' },
];

function queueOf({ queue }: TopAgent): string {
  if (queue === null) return '-';
  return queue.paused ? `${queue.waiting}, paused` : String(queue.waiting);
}

function ageOf({ running, last_turn }: TopAgent, now: Date): string {
  const at = running?.started_at_utc ?? last_turn?.ended_at_utc ?? null;
  if (at === null) return '-';
  const age = ageWords(Math.max(0, now.getTime() - Date.parse(at)));
  return running ? age.replace(/ ago$/, '') : age;
}

/** Returns the question, else the prompt that runs, else the fault, else how the latest turn ended. */
function workOf({ question, state, detail, running, last_turn }: TopAgent): string {
  if (question) return question;
  if (running) return running.prompt_preview ?? `(${running.origin} prompt)`;
  if (detail !== null && state !== 'ready' && state !== 'busy') return detail;
  if (last_turn === null) return '-';
  return last_turn.error?.detail ?? last_turn.answer_preview ?? `(${last_turn.outcome ?? 'ended'})`;
}

function detailsOf(agent: TopAgent, columns: number, now: Date): string[] {
  const { state, detail, question, running, last_turn, queue } = agent;
  const indented = (text: string): string[] =>
    rowsOf(text, Math.max(1, columns - 2)).map((row) => `  ${row}`);
  const part = (title: string, text: string | null | undefined): string[] =>
    text ? ['', title, ...indented(text)] : [];
  const paused = queue?.paused ? ', paused' : '';
  const began = running && `${running.turn_id} (${running.origin}), for ${ageOf(agent, now)}`;
  const ended =
    last_turn &&
    `${last_turn.turn_id}: ${last_turn.outcome ?? 'ended'}${ageBehind(last_turn.ended_at_utc, now)}`;
  return [
    `${shortened(shownName(agent), columns)}  ${standingWord(state)}  ${agent.tool}${agent.has_gateway ? '' : '  no gateway'}`,
    ...part('State', detail),
    ...part('Asks you', question),
    ...part('Works on', began && `${began}\n${running?.prompt_preview ?? ''}`),
    ...part('Waiting', queue && `${queue.waiting}${paused}`),
    ...part('Latest turn', ended),
    ...part('Error', last_turn?.error?.detail),
    ...part('Answer', last_turn?.answer_preview),
    ...part('Used', last_turn?.usage && usageWords(last_turn.usage)),
  ];
}

const ageBehind = (at: string | null, now: Date): string =>
  at === null ? '' : `, ${ageWords(Math.max(0, now.getTime() - Date.parse(at)))}`;
