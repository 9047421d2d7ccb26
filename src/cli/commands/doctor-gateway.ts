import { existsSync } from 'node:fs';
import { createGatewayClient, type Schemas } from '@houmao/sdk';
import type { AgentTerminal } from '../../agent/target/agent-terminal.js';
import { lockHolder, tryLock } from '../../foundation/directory-lock.js';
import { blockedPort } from '../../foundation/fetch-ports.js';
import { listenObstacle } from '../../foundation/listening.js';
import { surroundingsOf } from '../../foundation/processes.js';
import { findProgram, NoNode, nodeProgram } from '../../foundation/programs.js';
import { countedWith } from '../../foundation/text.js';
import type { RegisteredAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import {
  commandLineOf,
  type GatewayProbe,
  gatewayProcess,
  isHanging,
  urlOf,
} from '../../launch/live-gateway.js';
import { desiredConfigFile } from '../../session/gateway-start-files.js';
import { turnHostOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { queueStore, type SessionPaths } from '../../session/session-paths.js';
import { isStorageCode, storageFault } from '../../storage/storage-fault.js';
import { unlessMissing } from '../words/call-failure.js';

/** The result of one check. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** The step that helps; null when none is needed, or the detail names it. */
  remedy: string | null;
}

/** The result of a check without its name. */
export type Shown = Omit<Finding, 'check'>;

/** The agent that the doctor examines. */
export interface Patient {
  readonly agent: RegisteredAgent;
  /** The agent, as the operator named it. */
  readonly name: string;
  readonly host: AgentHost;
  readonly sight: GatewayProbe;
  /** Whether a gateway is there, even one that refuses this caller or hangs: it owns lock, port and queue. */
  readonly isTaken: boolean;
  /** The answers of the gateway itself; null when it gives none. */
  readonly said: GatewayWord | null;
  /** Examines the agent from here; the result is kept. */
  readonly look: () => Promise<AgentSeen>;
}

interface GatewayWord {
  readonly axes: Schemas['GatewayStatus'];
  /** Null for a gateway of the older implementation, which does not report its queue. */
  readonly queue: Schemas['QueueState'] | null;
}

export interface AgentSeen {
  readonly manifest: Manifest;
  readonly connected: boolean;
  readonly detail: string | null;
  readonly terminal: AgentTerminal | null;
}

export const ok = (detail: string): Shown => ({ state: 'ok', detail, remedy: null });
export const warning = (detail: string, remedy: string): Shown => ({ state: 'warning', detail, remedy });
export const failed = (detail: string, remedy: string | null): Shown => ({
  state: 'failed',
  detail,
  remedy,
});

/** Asks a gateway for its state; null when it does not answer. */
export async function wordOf(sight: GatewayProbe): Promise<GatewayWord | null> {
  if (sight.state !== 'serving') return null;
  const client = createGatewayClient({ baseUrl: urlOf(sight.instance) });
  try {
    // Neither call reads the queue's file, so both also answer when it is damaged.
    const [axes, queue] = await Promise.all([client.getStatus(), unlessMissing(client.getQueue())]);
    return { axes, queue };
  } catch {
    return null;
  }
}

export function gateway({ agent, name, sight }: Patient): Shown {
  if (sight.state === 'serving')
    return ok(`serves at ${urlOf(sight.instance)}, process ${sight.instance.pid}`);
  if (sight.state === 'refusing')
    return failed(
      `serves at ${urlOf(sight.instance)}, process ${sight.instance.pid}, and refuses this caller: ${sight.detail}`,
      'Ask as the user who runs it.',
    );
  const attach = `houmao-mgr agents gateway attach ${name}`;
  if (sight.state === 'absent') return warning('none is running', `Start one: ${attach}`);
  const { instance: left, detail } = sight;
  return isHanging(sight, agent.paths)
    ? failed(`process ${left.pid} is there and does not answer: ${detail}`, `Restart it: ${attach} --restart`)
    : warning(
        `the last one, process ${left.pid}, ended without cleaning up`,
        `Start one; it recovers the queue: ${attach}`,
      );
}

const again = (name: string): string =>
  `Restart it from here: houmao-mgr agents gateway attach ${name} --restart`;

const replaceIt = (name: string): string =>
  `To replace it with one of this release: houmao-mgr agents gateway attach ${name} --restart`;

/** Finds a gateway whose Node was removed, as a version manager does at an upgrade: its turns start with the Node on its PATH. */
export async function nodeOf({ agent, name, sight }: Patient): Promise<Shown | null> {
  if (sight.state === 'absent' || gatewayProcess(sight.instance.pid, agent.paths) === null) return null;
  const its = surroundingsOf(sight.instance.pid);
  if (!its || findProgram(its.executable, '', '/') !== null) return null;
  try {
    const other = await nodeProgram(its.environment.PATH ?? '', its.executable);
    return warning(`${its.executable}, which runs it, was removed; turns start with ${other}`, again(name));
  } catch (error) {
    if (error instanceof NoNode) return failed(error.message, again(name));
    throw error;
  }
}

/** Finds an agent that can be reached from here but not by its gateway, which was started in another environment. */
export async function agentByGateway({ name, sight, said, look }: Patient): Promise<Shown | null> {
  if (sight.state !== 'serving' || said === null) return null;
  if (said.axes.managed_agent_connectivity === 'connected') return null;
  const { connected, manifest } = await look();
  if (!connected) return null;
  const its = turnHostOf(manifest) === 'tmux' ? surroundingsOf(sight.instance.pid) : null;
  const path = its?.environment.PATH ?? '';
  return its && findProgram('tmux', path, its.workingDirectory) === null
    ? failed(`it does not find tmux on the PATH that it was started with (${path})`, again(name))
    : failed('it cannot reach the agent, which can be reached from here', again(name));
}

/** Reports a fault that the gateway met, in the gateway's words, and whether its queue is paused. */
export function runningQueue({ agent: { paths }, name, sight, said }: Patient): Shown | null {
  if (sight.state !== 'serving') return null;
  if (!said) return failed('the gateway does not report its state', `Read ${paths.log}`);
  const { queue, axes } = said;
  if (queue === null)
    return warning("the gateway is the older implementation's, which does not report it", replaceIt(name));
  const waiting = axes.queue_depth;
  if (queue.fault) {
    const { code, detail } = queue.fault;
    if (!isStorageCode(code)) return failed(`${paths.queue}: ${detail}`, `Read ${paths.log}`);
    const { remedy } = storageFault(code, queueStore(paths));
    return failed(`${paths.queue}: ${detail}`, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`);
  }
  if (!queue.paused) return ok('can be stored');
  const prompts = countedWith(waiting === 0 ? 'no' : waiting, 'prompt', ['waits', 'wait']);
  return warning(`it is paused; ${prompts}`, `Resume it: houmao-mgr agents gateway resume ${name}`);
}

export function lock({ lock: path }: SessionPaths): Shown {
  if (!isHeld(path)) return ok('free');
  const pid = lockHolder(path);
  return pid === null
    ? failed('a process holds it', `Find it: fuser ${path}`)
    : failed(`process ${pid} holds it (${commandLineOf(pid).join(' ').trim()})`, `End it: kill ${pid}`);
}

function isHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  const taken = tryLock(path);
  taken?.release();
  return taken === null;
}

export async function port(name: string, paths: SessionPaths): Promise<Shown | null> {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  if (!desired?.desired_port) return null;
  const { desired_port, desired_host } = desired;
  const anyPort = `Use another one: houmao-mgr agents gateway attach ${name} --port 0`;
  const blocked = blockedPort(desired_port);
  if (blocked !== null) return failed(blocked, anyPort);
  const obstacle = await listenObstacle({ host: desired_host ?? '127.0.0.1', port: desired_port });
  return obstacle === null ? ok(`${desired_port} is free`) : failed(`${desired_port} is taken`, anyPort);
}
