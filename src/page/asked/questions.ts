import type { ContractDocument } from '../contract/contract-document.js';

/** A dialog of an agent's terminal, as `GET …/tui/dialog` answers it. */
export interface Dialog {
  readonly dialog_id: string;
  readonly text: string;
  readonly choices: readonly { readonly number: number; readonly label: string; readonly marked: boolean }[];
}

/** A question that an agent in a terminal asks a person. */
export interface Question {
  /** As a person calls it; null on the page of its own gateway. */
  readonly agent: string | null;
  /** Its rows on the screen. */
  readonly text: string;
  /** Null where no gateway can answer it. */
  readonly answerable: { readonly path: string; readonly dialog: Dialog } | null;
}

/** Reads a path of the surface. @returns null for every status but 200. @throws where no answer comes */
export type Read = <Body>(path: string) => Promise<Body | null>;

/** The questions that stand on the screens of this surface's agents now. */
export async function questionsOf(document: ContractDocument, read: Read): Promise<readonly Question[]> {
  const own = document.paths[ofGateway];
  if (own === undefined) return questionsOnServer(read);
  // A headless agent has no screen, and the page was told so.
  if (own.get?.['x-houmao-unavailable'] !== undefined) return [];
  return (await questionsAt(ofGateway, null, read)) ?? [];
}

const ofGateway = '/v1/control/tui/dialog';

/** @returns null where no gateway looks at the terminal, or the agent has none. */
async function questionsAt(
  path: string,
  agent: string | null,
  read: Read,
): Promise<readonly Question[] | null> {
  const answer = await read<{ dialog: Dialog | null }>(path);
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
