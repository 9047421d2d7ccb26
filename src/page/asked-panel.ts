import type { ContractDocument } from '../contract/document/contract-document.js';
import { browser, type Component, type Drawn, type MakePlugin, type React } from './swagger.js';

/**
 * Draws the questions that agents in terminals ask a person, below the introduction, with their choices as buttons. It checks
 * again every few seconds while the page is visible.
 * @param token with which the page was opened; null without one.
 */
export const dialogPanel =
  (document: ContractDocument, token: string | null): MakePlugin =>
  ({ React }) => {
    const Asked = dialogPanelOf(React, document, callsWith(token));
    return {
      wrapComponents: {
        InfoContainer: (Original) => (properties) =>
          React.createElement(
            React.Fragment,
            null,
            React.createElement(Original, properties),
            React.createElement(Asked, null),
          ),
      },
    };
  };

interface Answer {
  readonly status: number;
  json(): Promise<unknown>;
}
type Call = (path: string, body?: object) => Promise<Answer>;

const callsWith =
  (token: string | null): Call =>
  (path, body) =>
    fetch(path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token !== null && { Authorization: `Bearer ${token}` }),
      },
    });

function dialogPanelOf(React: React, document: ContractDocument, call: Call): Component {
  async function read<Body>(path: string): Promise<Body | null> {
    const answer = await call(path);
    return answer.status === 200 ? ((await answer.json()) as Body) : null;
  }
  return () => {
    const [questions, showQuestions] = React.useState<readonly Question[]>([]);
    const [silent, showSilent] = React.useState(false);
    const [note, showNote] = React.useState<string | null>(null);
    const look = async (): Promise<void> => {
      try {
        showQuestions(await questionsOf(document, read));
        showSilent(false);
      } catch {
        showSilent(true);
      }
    };
    React.useEffect(() => everyFewSeconds(look), []);
    const answer = async (path: string, dialog: TerminalDialog, choose: number): Promise<void> => {
      showNote('Answering …');
      showNote(await resultOf(call(path, { dialog_id: dialog.dialog_id, choose })));
      await look();
    };
    if (questions.length === 0 && note === null && !silent) return null;
    return React.createElement(
      'section',
      { className: 'wrapper', 'aria-label': 'Questions to a person' },
      ...questions.map((question) => drawnQuestion(React, question, answer)),
      React.createElement('p', { className: 'asked-note', role: 'status' }, silent ? silence : note),
    );
  };
}

const silence = 'No server answers at this address now. The questions shown are those of its last answer.';

/**
 * Calls `look` now, and again three seconds after each call has ended, while the page is visible.
 * @returns a function that ends this.
 */
function everyFewSeconds(look: () => Promise<void>): () => void {
  let timer = 0;
  let ended = false;
  const next = async (): Promise<void> => {
    if (browser.document.visibilityState === 'visible') await look();
    if (!ended) timer = browser.setTimeout(() => void next(), 3000);
  };
  void next();
  return () => {
    ended = true;
    browser.clearTimeout(timer);
  };
}

/** Returns the sentence of the answer, whatever its status. */
async function resultOf(call: Promise<Answer>): Promise<string> {
  try {
    const { detail } = (await (await call).json()) as { detail: unknown };
    return typeof detail === 'string' ? detail : JSON.stringify(detail);
  } catch {
    return 'No reply came. It is not known whether the agent has the answer: look at its terminal.';
  }
}

function drawnQuestion(
  React: React,
  { agent, text, answerable }: Question,
  answer: (path: string, dialog: TerminalDialog, choose: number) => Promise<void>,
): Drawn {
  const { createElement } = React;
  return createElement(
    'div',
    { className: 'asked' },
    createElement('h2', null, `${agent ?? 'The agent'} waits for a person to answer`),
    createElement('pre', null, text),
    answerable === null
      ? createElement('p', null, 'No gateway can answer for it. Answer it in its terminal.')
      : answerable.dialog.choices.map(({ number, label }) =>
          createElement(
            'button',
            { key: number, onClick: () => void answer(answerable.path, answerable.dialog, number) },
            `${number}. ${label}`,
          ),
        ),
    answerable?.dialog.choices.length === 0 &&
      createElement('p', null, 'Its choices cannot be read. Answer it with keys, or in its terminal.'),
  );
}

/** A dialog of an agent's terminal, as `GET …/tui/dialog` returns it. */
export interface TerminalDialog {
  readonly dialog_id: string;
  readonly text: string;
  readonly choices: readonly { readonly number: number; readonly label: string; readonly marked: boolean }[];
}

/** A question that an agent in a terminal asks a person. */
interface Question {
  /** The agent's name as people use it; null on the page of its own gateway. */
  readonly agent: string | null;
  /** Its rows on the screen. */
  readonly text: string;
  /** Null where no gateway can answer it. */
  readonly answerable: { readonly path: string; readonly dialog: TerminalDialog } | null;
}

/** Reads a path of the surface. @returns null for every status but 200. @throws where no answer arrives */
export type Read = <Body>(path: string) => Promise<Body | null>;

/** Returns the questions that stand on the screens of this surface's agents now. */
export async function questionsOf(document: ContractDocument, read: Read): Promise<readonly Question[]> {
  const own = document.paths[ofGateway];
  if (own === undefined) return questionsOnServer(read);
  // A headless agent has no screen, and the document says so.
  if (own.get?.['x-houmao-unavailable'] !== undefined) return [];
  return (await questionsAt(ofGateway, null, read)) ?? [];
}

const ofGateway = '/v1/control/tui/dialog';

/** @returns null where no gateway watches the terminal, or the agent has none. */
async function questionsAt(
  path: string,
  agent: string | null,
  read: Read,
): Promise<readonly Question[] | null> {
  const answer = await read<{ dialog: TerminalDialog | null }>(path);
  if (answer === null) return null;
  const { dialog } = answer;
  return dialog === null ? [] : [{ agent, text: dialog.text, answerable: { path, dialog } }];
}

interface Listed {
  readonly tracked_agent_id: string;
  readonly agent_name: string | null;
  readonly terminal_id: string | null;
}
interface TerminalState {
  readonly parsed_surface: {
    readonly business_state: string;
    readonly operator_blocked_excerpt: string | null;
  } | null;
}

async function questionsOnServer(read: Read): Promise<readonly Question[]> {
  const agents = (await read<{ agents: readonly Listed[] }>('/houmao/agents'))?.agents ?? [];
  return (await Promise.all(agents.map((agent) => questionsOfListed(agent, read)))).flat();
}

async function questionsOfListed(listed: Listed, read: Read): Promise<readonly Question[]> {
  if (listed.terminal_id === null) return [];
  const state = await read<TerminalState>(
    `/houmao/terminals/${encodeURIComponent(listed.terminal_id)}/state`,
  );
  const screen = state?.parsed_surface;
  if (screen?.business_state !== 'awaiting_operator') return [];
  const agent = (listed.agent_name ?? listed.tracked_agent_id).replace(/^HOUMAO-/, '');
  const path = `/houmao/agents/${encodeURIComponent(listed.tracked_agent_id)}/gateway/tui/dialog`;
  const shown = { agent, text: screen.operator_blocked_excerpt ?? '', answerable: null };
  return (await questionsAt(path, agent, read)) ?? [shown];
}
