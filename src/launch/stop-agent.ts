import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { agentTmux } from '../agent/local/agent-place.js';
import { endLeft } from '../dispatch/queue/recovery.js';
import { RequestJournal } from '../dispatch/queue/request-journal.js';
import { openSessionStore } from '../dispatch/queue/session-runtime.js';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { UnusableFile } from '../foundation/faults.js';
import { systemFaultOf } from '../foundation/system-fault.js';
import type { RecordError } from '../run/record-error.js';
import { attachIdentityOf, turnHostOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { withdrawRecord } from '../session/registry.js';
import type { SessionPaths } from '../session/session-paths.js';
import { StoreUnavailable } from '../storage/storage-fault.js';
import type { ListedPane } from '../terminal/pane-listing.js';
import type { Tmux } from '../terminal/tmux.js';
import { TmuxFault } from '../terminal/tmux-fault.js';
import { serverOf } from '../terminal/tmux-servers.js';
import { claimTurns } from '../turn/turn-ownership.js';
import { TurnTable } from '../turn/turn-table.js';
import type { RegisteredAgent } from './agent-directory.js';
import type { AgentHost } from './agent-host.js';
import { unprefixedName } from './agent-name.js';
import { endLeftInTerminal, paneToEnd, processesIn } from './end-terminal.js';
import { detachGateway, noteUnusable } from './gateway-attachment.js';
import { LaunchFault } from './launch-fault.js';

/** The result of stopping an agent. */
export interface StopResult {
  gatewayStopped: boolean;
  tmuxStopped: boolean;
  /** Why its tmux session still exists, as a sentence: it has panes that are not the agent's. Null if it does not. */
  tmuxStays: string | null;
  /** A sentence for each step that failed; empty if all succeeded. */
  leftUndone: string[];
}

/** The parts of an agent that can be ended. */
export interface AgentToStop {
  name: string;
  /** Null for an agent without a session of ours. */
  paths: SessionPaths | null;
  /** Used if the manifest names none. */
  tmuxSession: string | null;
  /** Its record in the registry; null if none is known. */
  registration: { agentId: string; generationId: string } | null;
}

/** Stops an agent that is in the registry. @throws like {@link endAgent}. */
export const stopAgent = ({ name, record, paths }: RegisteredAgent, host: AgentHost): Promise<StopResult> =>
  endAgent(
    {
      name,
      paths,
      tmuxSession: record.terminal.session_name,
      registration: { agentId: record.agent_id, generationId: record.generation_id },
    },
    host,
  );

/**
 * Ends the gateway, a turn that runs without one, and the tmux pane of an agent, then removes its registry record; its files
 * stay. If the manifest cannot be read, the record replaces it.
 * @throws {LaunchFault} if the agent's tmux session could not be ended: the agent then stays registered.
 * @throws {UnusableFile} if the process of its gateway is unknown; nothing was changed then.
 */
export async function endAgent(agent: AgentToStop, host: AgentHost): Promise<StopResult> {
  const { paths, registration } = agent;
  // A root that is gone is not made again.
  const detached = paths && existsSync(paths.root) ? await detachGateway(paths, host) : null;
  const { stopped: gatewayStopped = false, manifest = null, leftUndone = [] } = detached ?? {};
  if (paths && manifest) {
    const undone = await endLeftTurns(paths, attachIdentityOf(manifest, basename(paths.root)), host.clock);
    if (undone !== null) leftUndone.push(undone);
  }
  const { stopped: tmuxStopped, stays: tmuxStays } = await endTmux(agent, manifest, host, leftUndone);
  if (registration) withdraw(registration, host, leftUndone);
  if (paths && existsSync(paths.root)) markStopped(paths, host, leftUndone);
  return { gatewayStopped, tmuxStopped, tmuxStays, leftUndone };
}

/** Withdraws the registry record. A record that cannot be used may belong to another agent, so it is left where it is. */
function withdraw(
  { agentId, generationId }: NonNullable<AgentToStop['registration']>,
  { registryRoot }: AgentHost,
  leftUndone: string[],
): void {
  try {
    withdrawRecord(registryRoot, agentId, generationId);
  } catch (error) {
    noteUnusable(error, leftUndone);
    leftUndone.push('It may be listed until its record is deleted.');
  }
}

/** Marks the files: only files with this mark are ever deleted as those of a stopped agent. */
function markStopped({ stoppedAt }: SessionPaths, { clock }: AgentHost, leftUndone: string[]): void {
  try {
    writeFileAtomic(stoppedAt, `${clock.now().toISOString()}\n`);
  } catch (error) {
    const fault = systemFaultOf(error, stoppedAt);
    if (fault === null) throw error;
    leftUndone.push(`Its files could not be marked as those of a stopped agent: ${fault}.`);
  }
}

interface EndedTmux {
  stopped: boolean;
  stays: string | null;
}
const noTmux: EndedTmux = { stopped: false, stays: null };

/** Ends the agent's own pane, and its session with it, unless the session has panes of other programs. */
async function endTmux(
  { name, paths, tmuxSession }: AgentToStop,
  manifest: Manifest | null,
  host: AgentHost,
  leftUndone: string[],
): Promise<EndedTmux> {
  if (manifest && turnHostOf(manifest) === 'process') return noTmux;
  const session = manifest?.tmux_session_name ?? tmuxSession;
  if (session === null) return noTmux;
  try {
    const tmux = await (manifest ? agentTmux(manifest, host.tmux) : serverOf(host.tmux, session, null));
    if (tmux === null) return noTmux;
    // A session that another program made and registered as an agent is ended as a whole.
    return await (paths === null ? endSession(tmux, session, host) : endPane(tmux, session, manifest, host));
  } catch (error) {
    if (!(error instanceof TmuxFault)) throw error;
    if (manifest || paths === null)
      throw new LaunchFault(
        `The tmux session ${session} could not be ended (${error.message}). ${unprefixedName(name)} stays registered, without its gateway; stop it again once tmux can be run.`,
        { cause: error },
      );
    // The agent may never have had a session.
    leftUndone.push(`It is not known whether the tmux session ${session} still runs (${error.message}).`);
    return noTmux;
  }
}

async function endSession(tmux: Tmux, session: string, { clock }: AgentHost): Promise<EndedTmux> {
  const left = processesIn(await panesOf(tmux, session));
  const stopped = await tmux.killSession(session);
  await endLeftInTerminal(left, clock);
  return { stopped, stays: null };
}

async function endPane(
  tmux: Tmux,
  session: string,
  manifest: Manifest | null,
  { clock }: AgentHost,
): Promise<EndedTmux> {
  const own = paneToEnd(await tmux.panes(), session, manifest);
  const isHeadless = manifest?.headless ?? false;
  const left = own && !isHeadless ? processesIn([own]) : [];
  const stopped = own !== null && (await tmux.killPane(own.paneId));
  await endLeftInTerminal(left, clock);
  const others = await panesOf(tmux, session);
  return { stopped, stays: others.length === 0 ? null : staysSentence(tmux, session, others.length) };
}

const panesOf = async (tmux: Tmux, session: string): Promise<ListedPane[]> =>
  (await tmux.panes()).filter((pane) => pane.session === session);

const staysSentence = (tmux: Tmux, session: string, panes: number): string =>
  `The tmux session stays with ${panes === 1 ? 'a pane that is' : `${panes} panes that are`} not the agent's: ${tmux.attachCommand(session)}`;

const stopped: RecordError = { code: 'interrupted', detail: 'The agent was stopped while this ran.' };

/**
 * Ends the turn that a session without a gateway still has, and records its end: a turn of the managed-agent server, or one whose
 * owner died. A server that runs it hands it over for that.
 * @param identity the session's attach identity.
 * @returns which step failed, as a sentence; null if all succeeded.
 */
async function endLeftTurns(paths: SessionPaths, identity: string, clock: Clock): Promise<string | null> {
  if (!existsSync(paths.queue)) return null;
  const ownership = await claimTurns(paths.run, 'houmao-mgr', clock);
  if (!ownership) return 'Another program runs its turns and did not hand them over; one may still run.';
  try {
    await endThem(paths, identity, clock);
    return null;
  } catch (error) {
    if (error instanceof UnusableFile)
      return `It is not known whether one of its turns still runs: ${error.message}`;
    if (error instanceof StoreUnavailable)
      return `The running turn was ended, but this could not be recorded: ${error.fault.reason}`;
    throw error;
  } finally {
    ownership.release();
  }
}

async function endThem(paths: SessionPaths, identity: string, clock: Clock): Promise<void> {
  const events = openSessionStore({
    paths,
    program: 'gateway',
    clock,
    // An obstacle to storing the end is thrown instead.
    print: () => undefined,
  });
  const { store, journal } = events;
  try {
    const parts = { journal, turns: new TurnTable(store), queue: new RequestJournal(store, journal) };
    const none = (): boolean => false;
    // Only the end of the turn is reported.
    await endLeft(
      { ...parts, runsOn: none, session: { identity, run: paths.run }, clock },
      stopped,
      () => undefined,
    );
  } finally {
    events.feed.close();
    await events.close();
  }
}
