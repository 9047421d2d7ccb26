import type { Schemas } from '@houmao/sdk/managed-agent';

export type TopAgent = Schemas['AgentOverview'];
export type TopDialog = NonNullable<Schemas['DialogState']['dialog']>;

// The views of `top`, and where its keys lead:
//
//   list ──Enter──▶ details       list or details ──?──▶ help ──any key──▶ list
//   list or details ──p──▶ prompt ──Enter──▶ sends and returns    ──i──▶ interrupt ──y──▶ interrupts and returns
//                   ──a──▶ the dialog is read ──▶ answer ──its number──▶ answers and returns
//
// Escape leads back to the list, q and Ctrl-C end the program.

/** The state of `top` besides the agents. */
export interface TopState {
  readonly view: 'list' | 'details' | 'help' | 'prompt' | 'interrupt' | 'answer';
  /** The id of the chosen agent; null before one is chosen: then it is the first. */
  readonly chosen: string | null;
  /** The prompt, as far as it is typed. */
  readonly typed: string;
  /** The dialog that is answered. */
  readonly dialog: TopDialog | null;
  /** The outcome of the last deed, in a sentence. */
  readonly notice: string | null;
}

export const atFirst: TopState = { view: 'list', chosen: null, typed: '', dialog: null, notice: null };

/** A key, as Node reports it. */
export interface PressedKey {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

/** A deed that a key asks for. */
export type TopDeed =
  | { readonly kind: 'quit' }
  | { readonly kind: 'prompt'; readonly agent: TopAgent; readonly text: string }
  | { readonly kind: 'interrupt'; readonly agent: TopAgent }
  | { readonly kind: 'ask'; readonly agent: TopAgent }
  | {
      readonly kind: 'answer';
      readonly agent: TopAgent;
      readonly dialog: TopDialog;
      readonly choose: number;
    };

/** Returns the chosen agent; the first one where the chosen one is gone, or none was chosen. */
export const chosenOf = (
  agents: readonly TopAgent[],
  { chosen }: Pick<TopState, 'chosen'>,
): TopAgent | null => agents.find(({ tracked_agent_id }) => tracked_agent_id === chosen) ?? agents[0] ?? null;

/** Pure: decides what a key does. */
export function pressed(
  state: TopState,
  key: PressedKey,
  agents: readonly TopAgent[],
): { readonly state: TopState; readonly deed: TopDeed | null } {
  const agent = chosenOf(agents, state);
  const stay = (next: Partial<TopState>) => ({ state: { ...state, ...next }, deed: null });
  const list = { view: 'list', typed: '', dialog: null } as const;
  const done = (deed: TopDeed) => ({ state: { ...state, ...list, notice: null }, deed });
  if (key.ctrl && (key.name === 'c' || key.name === 'd')) return done({ kind: 'quit' });
  if (key.name === 'escape') return stay({ ...list, notice: null });
  if (state.view === 'help') return stay(list);
  if (state.view === 'prompt') {
    if (key.name === 'return' || key.name === 'enter')
      return agent && state.typed.trim() !== ''
        ? done({ kind: 'prompt', agent, text: state.typed })
        : stay({ ...list, notice: 'No prompt was sent.' });
    if (key.name === 'backspace') return stay({ typed: [...state.typed].slice(0, -1).join('') });
    return stay(isText(key) ? { typed: state.typed + key.sequence } : {});
  }
  if (state.view === 'interrupt') {
    if (key.name === 'y' && agent) return done({ kind: 'interrupt', agent });
    return stay({ ...list, notice: 'Nothing was interrupted.' });
  }
  if (state.view === 'answer') {
    const choose = Number(key.sequence);
    if (agent && state.dialog?.choices.some(({ number }) => number === choose))
      return done({ kind: 'answer', agent, dialog: state.dialog, choose });
    return stay({ ...list, notice: 'Nothing was answered.' });
  }
  const moved = movesOf(key, agents.length);
  if (moved !== null) {
    const at = agent === null ? -1 : agents.indexOf(agent);
    const next = agents[Math.min(agents.length - 1, Math.max(0, at + moved))];
    return stay({ chosen: next?.tracked_agent_id ?? null, notice: null });
  }
  const chosen = agent?.tracked_agent_id ?? null;
  if (key.sequence === '?') return stay({ view: 'help', notice: null });
  if (key.name === 'q') return done({ kind: 'quit' });
  if (agent === null) return stay({});
  if (key.name === 'return' || key.name === 'enter')
    return stay({ view: state.view === 'list' ? 'details' : 'list', chosen, notice: null });
  if (key.name === 'p') return stay({ view: 'prompt', chosen, typed: '', notice: null });
  if (key.name === 'i')
    return agent.running === null
      ? stay({ notice: 'No turn of it runs.' })
      : stay({ view: 'interrupt', chosen, notice: null });
  if (key.name === 'a') return { state: { ...state, chosen, notice: null }, deed: { kind: 'ask', agent } };
  return stay({});
}

const isText = ({ sequence = '', ctrl, meta }: PressedKey): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys that are no text are sent as control characters.
  !ctrl && !meta && sequence !== '' && !/[\u0000-\u001f\u007f]/.test(sequence);

/** Returns by how many agents a key moves; null for a key that does not. */
function movesOf({ name }: PressedKey, count: number): number | null {
  switch (name) {
    case 'down':
    case 'j':
      return 1;
    case 'up':
    case 'k':
      return -1;
    case 'home':
      return -count;
    case 'end':
      return count;
    default:
      return null;
  }
}
