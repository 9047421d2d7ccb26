import type { OperationId } from '../../../generated/managed-agent/server/index.js';
import type { components } from '../../../generated/managed-agent/types.js';
import {
  type AskOperation,
  type FilledIn,
  type PageFacts,
  type PageValues,
  type Refusals,
  refusedAlike,
  rowsOf,
  sentenceOf,
  type WorkOperations,
  workRefusals,
  workValues,
} from '../../contract/page-facts.js';

type Identity = components['schemas']['AgentIdentity'];

const operations = {
  listRequests: 'listGatewayRequests',
  cancelRequest: 'cancelGatewayRequest',
  listReminders: 'listGatewayReminders',
  updateReminder: 'updateGatewayReminder',
  listMail: 'listAgentMail',
  getMailStatus: 'getAgentMailStatus',
  peekMail: 'peekAgentMail',
  fetchMailAttachment: 'fetchAgentMailAttachment',
  namesMessage: [
    ...(['peekAgentMail', 'readAgentMail', 'replyAgentMail', 'markAgentMail', 'moveAgentMail'] as const),
    ...(['archiveAgentMail', 'setAgentMailState'] as const),
  ],
  getTuiState: 'getGatewayTuiState',
  getDialog: 'getGatewayDialog',
  answerDialog: 'answerGatewayDialog',
  sendKeys: 'sendGatewayKeys',
  getMailNotifier: 'getGatewayMailNotifier',
  updateMailNotifier: 'updateGatewayMailNotifier',
} as const satisfies WorkOperations & Record<string, OperationId | readonly OperationId[]>;

/** The operations whose samples name the agent in a terminal, where there is one. */
const ofTerminals = [
  ...(['getGatewayTuiState', 'getGatewayTuiHistory', 'noteGatewayPrompt', 'sendGatewayKeys'] as const),
  ...(['getGatewayTuiScreen', 'getGatewayDialog', 'answerGatewayDialog'] as const),
] satisfies OperationId[];

/** For each operation that only reads, the operations that are refused for the same reasons. */
const alike: Readonly<Partial<Record<OperationId, readonly OperationId[]>>> = {
  getGatewayRequest: [],
  getGatewayReminder: ['updateGatewayReminder', 'deleteGatewayReminder'],
  getAgentMailStatus: [
    ...(['checkAgentMail', 'listAgentMail', 'sendAgentMail', 'postAgentMail'] as const),
    ...operations.namesMessage,
    'fetchAgentMailAttachment',
  ],
  resolveAgentMailbox: [],
  getGatewayTurn: ['streamGatewayTurn'],
  getGatewayHeadlessState: ['setGatewayNextPromptSession'],
  getGatewayTuiState: [
    ...(['getGatewayTuiHistory', 'noteGatewayPrompt', 'getGatewayDialog', 'answerGatewayDialog'] as const),
  ],
  getGatewayTuiScreen: [],
  getGatewayQueue: [
    ...(['controlGatewayPrompt', 'reconcileGateway', 'updateGatewayQueue', 'submitGatewayRequest'] as const),
    ...(['listGatewayRequests', 'listGatewayEvents', 'getGatewayUsage', 'getGatewayAbout'] as const),
    ...(['createGatewayReminders'] as const),
    ...(['listGatewayReminders', 'getGatewayMailNotifier', 'disableGatewayMailNotifier'] as const),
  ],
  getTurn: [],
  getTurnRecord: ['streamTurn'],
  getTurnEvents: [],
  getTurnStdout: [],
  getTurnStderr: [],
  getHeadlessDetail: ['createTurn', 'interruptAgent', 'runHeadlessPrompt', 'interruptHeadlessTurn'],
  getTerminalState: ['getTerminalHistory'],
  getAgent: [
    ...(['getAgentState', 'getAgentDetail', 'getAgentHistory', 'getAgentLog'] as const),
    ...(['getAgentOverview', 'stopAgent', 'submitAgentRequest'] as const),
  ],
  getAgentGateway: ['attachGateway', 'detachGateway'],
  listFleetHosts: ['listFleetEvents', 'listFleetCommands'],
  getFleetCommand: ['cancelFleetCommand'],
  getNotification: [
    ...([
      'updateNotification',
      'deleteNotification',
      'testNotification',
      'rotateNotificationSecret',
    ] as const),
    ...(['listNotificationDeliveries', 'repeatNotificationDelivery'] as const),
  ],
};

/** The current facts for the page of a server. */
export const serverPageFacts: PageFacts = { values, refusals };

async function values(ask: AskOperation): Promise<PageValues> {
  const agents = await identities(ask);
  const ranked = await mostUsefulFirst(agents, ask);
  const [chosen] = ranked;
  const terminal = ranked.find(({ transport }) => transport === 'tui');
  if (!chosen) return { shared: {}, of: {}, fields: {}, bodies: {} };
  const of = { agent_ref: nameOf(chosen, agents) };
  const work = await workValues(ask, operations, of);
  const [latest] = rowsOf(await ask('getAgentHistory', { path: of }), 'entries');
  const turn = typeof latest?.turn_id === 'string' ? { turn_id: latest.turn_id } : {};
  return {
    ...work,
    shared: { ...work.shared, ...turn, ...of, ...terminalOf(terminal) },
    of: {
      ...work.of,
      ...(terminal && {
        ...Object.fromEntries(ofTerminals.map((each) => [each, { agent_ref: nameOf(terminal, agents) }])),
        registerLaunch: registrationOf(terminal),
      }),
    },
  };
}

const identities = async (ask: AskOperation): Promise<readonly Identity[]> =>
  rowsOf(await ask('listAgents'), 'agents') as unknown as readonly Identity[];

/**
 * Sorts the agents: first those that can be reached; of these, first those that can do the most, with a gateway and
 * headless.
 */
async function mostUsefulFirst(agents: readonly Identity[], ask: AskOperation): Promise<Identity[]> {
  const weighed = await Promise.all(
    agents.map(async (agent) => {
      const path = { agent_ref: nameOf(agent, agents) };
      const [queue, { body }] = await Promise.all([
        ask('getGatewayQueue', { path }),
        ask('getAgentState', { path }),
      ]);
      const { availability } = (body ?? {}) as { availability?: unknown };
      const weights = [availability === 'available', queue.status === 200, agent.transport === 'headless'];
      return { agent, weight: weights.reduce((sum, has) => 2 * sum + Number(has), 0) };
    }),
  );
  return weighed.sort((one, other) => other.weight - one.weight).map(({ agent }) => agent);
}

/** Returns the name that people use, or the id where only that identifies the agent. */
function nameOf({ agent_name: name, tracked_agent_id: id }: Identity, agents: readonly Identity[]): string {
  const isOnlyOne = agents.filter((each) => each.agent_name === name).length === 1;
  return name !== null && isOnlyOne ? name.replace(/^HOUMAO-/, '') : id;
}

const terminalOf = (agent: Identity | undefined): FilledIn =>
  agent?.terminal_id ? { terminal_id: agent.terminal_id } : {};

/** Returns the registration of an agent that is registered already, so that registering it changes nothing. */
const registrationOf = (agent: Identity): FilledIn => ({
  session_name: agent.session_name ?? agent.tmux_session_name,
  tool: agent.tool,
  terminal_id: agent.terminal_id,
  observed_tool_version: null,
  manifest_path: agent.manifest_path,
  session_root: agent.session_root,
  agent_name: agent.agent_name,
  agent_id: agent.agent_id,
  tmux_session_name: agent.tmux_session_name,
  tmux_window_name: agent.tmux_window_name,
});

async function refusals(ask: AskOperation): Promise<Refusals> {
  const agents = await identities(ask);
  const hasTerminal = agents.some(({ transport }) => transport === 'tui');
  const [work, reads] = await Promise.all([
    workRefusals(ask, operations, {}),
    refusedAlike(ask, alike as Record<string, readonly string[]>),
  ]);
  return { ...work, ...reads, ...(await launchRefusals(ask, hasTerminal)) };
}

/** Returns the refusals of launches. The samples name folders that no machine has, so nothing is launched. */
async function launchRefusals(ask: AskOperation, hasTerminal: boolean): Promise<Refusals> {
  const asked = ['launchHeadlessAgent', ...(hasTerminal ? [] : ['registerLaunch'])];
  const sentences = await Promise.all(
    asked.map(async (each) => [each, sentenceOf(await ask(each))] as const),
  );
  return Object.fromEntries(sentences.filter((one): one is readonly [string, string] => one[1] !== null));
}
