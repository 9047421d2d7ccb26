import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { createGatewayClient, type Schemas } from '@houmao/sdk';
import { chooseTarget } from '../../agent/choose-target.js';
import { toolHasEnded } from '../../dispatch/readiness.js';
import { tryLock } from '../../foundation/directory-lock.js';
import { blockedPort } from '../../foundation/fetch-ports.js';
import { openDatabase } from '../../foundation/open-database.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import type { FoundAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { type GatewaySight, seeGateway, urlOf } from '../../launch/live-gateway.js';
import { accessToken } from '../../session/access-token.js';
import { attachFile } from '../../session/attach-contract.js';
import { type CurrentInstance, currentInstanceFile } from '../../session/current-instance.js';
import { desiredConfigFile } from '../../session/desired-config.js';
import { readLaunchedManifest } from '../../session/manifest.js';
import { queueStore } from '../../session/queue-store.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { storageFault } from '../../storage/fault-words.js';
import { trackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { lookAtMailbox } from './doctor-mailbox.js';

/** What a look at one thing has shown. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** What to do; null where nothing has to be done, or the detail says it. */
  remedy: string | null;
}
interface Patient {
  agent: FoundAgent;
  host: AgentHost;
  sight: GatewaySight;
  /** The gateway that serves, if only others than this caller. */
  live: CurrentInstance | null;
  /** What the gateway itself says of its queue; null where it says nothing. */
  queue: Schemas['QueueState'] | null;
}
/** What a check says of the thing it is named after. */
type Shown = Omit<Finding, 'check'>;
/** Null where there is nothing to look at. It may throw: that is a finding too. */
type Check = (patient: Patient) => Shown | null | Promise<Shown | null>;

const mebibyte = 1024 * 1024;
const leastFree = 100 * mebibyte;

/** Looks at everything that an agent and its gateway need; changes nothing. */
export async function examine(agent: FoundAgent, host: AgentHost): Promise<Finding[]> {
  const sight = await seeGateway(agent.paths);
  const live = sight.state === 'serving' || sight.state === 'refusing' ? sight.instance : null;
  const queue = sight.state === 'serving' ? await queueOf(sight.instance) : null;
  const patient = { agent, host, sight, live, queue };
  const findings: Finding[] = [];
  for (const [check, look] of Object.entries(checks)) {
    const shown = await shownBy(look, patient);
    if (shown) findings.push({ check, ...shown });
  }
  return findings;
}

const queueOf = (live: CurrentInstance): Promise<Schemas['QueueState'] | null> =>
  createGatewayClient({ baseUrl: urlOf(live) })
    .getQueue()
    .catch(() => null);

async function shownBy(look: Check, patient: Patient): Promise<Shown | null> {
  try {
    return await look(patient);
  } catch (error) {
    const { message } = error as Error;
    return failed(systemFaultOf(error, patient.agent.paths.root) ?? message, null);
  }
}

const ok = (detail: string): Shown => ({ state: 'ok', detail, remedy: null });
const warning = (detail: string, remedy: string): Shown => ({ state: 'warning', detail, remedy });
const failed = (detail: string, remedy: string | null): Shown => ({ state: 'failed', detail, remedy });

const checks: Readonly<Record<string, Check>> = {
  'session folder': ({ agent: { paths } }) => sessionFolder(paths),
  'disk space': ({ agent: { paths } }) => diskSpace(paths),
  manifest: ({ agent: { paths } }) => manifest(paths),
  agent: agentItself,
  tool: toolInTerminal,
  'access token': ({ agent: { paths } }) => token(paths),
  gateway,
  // The rest is the gateway's own while one serves.
  lock: ({ agent: { paths }, live }) => (live ? null : lock(paths)),
  port: ({ agent, live }) => (live ? null : port(agent)),
  queue: ({ agent: { paths }, live }) => (live ? null : queue(paths)),
  'running queue': runningQueue,
  mailbox,
  'session files': ({ agent: { paths } }) => sessionFiles(paths),
};

/** What the gateway told when it met it, in the same words. */
function runningQueue({ agent: { paths }, sight, queue }: Patient): Shown | null {
  if (sight.state !== 'serving') return null;
  if (!queue) return failed('the gateway does not say how it is', `Read ${paths.log}`);
  if (!queue.fault) return ok('can be stored');
  const { code, detail } = queue.fault;
  const { remedy } = storageFault(code, queueStore(paths));
  return failed(`${paths.queue}: ${detail}`, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`);
}

async function mailbox({ agent: { paths }, host }: Patient): Promise<Shown | null> {
  const { mailbox: binding } = readLaunchedManifest(paths.manifest).launch_plan;
  if (!binding) return null;
  const { address, trouble, remedy } = await lookAtMailbox(binding, host.clock);
  return trouble === null ? ok(`${address}, usable`) : failed(trouble, remedy);
}

/** Files that somebody reads: those a gateway starts with, and those that tell where one is. */
function sessionFiles(paths: SessionPaths): Shown {
  desiredConfigFile.read(paths.desiredConfig);
  attachFile.read(paths.attach);
  currentInstanceFile.read(paths.currentInstance);
  return ok('readable');
}

function sessionFolder({ root }: SessionPaths): Shown {
  try {
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed('it cannot be read and written', `Give yourself access: chmod 700 ${root}`);
  }
  const open = statSync(root).mode & 0o077;
  return open === 0
    ? ok('private and writable')
    : warning('others on this machine can look into it', `Close it: chmod 700 ${root}`);
}

function diskSpace({ root }: SessionPaths): Shown {
  const { bavail, bsize } = statfsSync(root);
  const free = Math.floor((bavail * bsize) / mebibyte);
  return bavail * bsize >= leastFree
    ? ok(`${free} MiB free`)
    : failed(`only ${free} MiB free`, 'Make room: what is accepted must get on disk.');
}

function manifest({ manifest: path }: SessionPaths): Shown {
  const { backend } = readLaunchedManifest(path);
  return ok(`readable, backend ${backend}`);
}

/** The first start makes it. */
function token({ accessToken: path }: SessionPaths): Shown | null {
  if (!existsSync(path)) return null;
  try {
    accessToken(path);
    return ok('private');
  } catch (error) {
    return failed((error as Error).message, 'Without it the gateway does not start.');
  }
}

async function lookAtAgent({ agent: { paths }, host }: Patient) {
  const found = readLaunchedManifest(paths.manifest);
  const target = chooseTarget(found, paths, host, {
    ...{ timings: trackerTimings(), changed: () => undefined, report: () => undefined },
  });
  const { connected, detail } = await target.inspect();
  await target.terminal?.stop();
  return { found, connected, detail, terminal: target.terminal };
}

/** A terminal stays when its tool ends, so the agent can be reached, and yet there is nobody to take a prompt. */
async function toolInTerminal(patient: Patient): Promise<Shown | null> {
  const { found, connected, terminal } = await lookAtAgent(patient);
  if (!connected || !terminal) return null;
  // Its start script names the conversation that it began, which tools refuse to begin twice.
  return toolHasEnded(terminal)
    ? failed(
        'does not run in its terminal',
        `Start it there again by its plain command: tmux attach -t ${terminal.names.tmuxSession}, then ${found.launch_plan.executable}`,
      )
    : ok('runs in its terminal');
}

async function agentItself(patient: Patient): Promise<Shown | null> {
  const { found, connected, detail } = await lookAtAgent(patient);
  return connected
    ? ok(`${found.launch_plan.executable} in ${found.working_directory}`)
    : failed(detail ?? 'it cannot be reached', 'Bring it back, or stop the agent and launch it anew.');
}

function gateway({ agent, sight }: Patient): Shown {
  if (sight.state === 'serving')
    return ok(`serves at ${urlOf(sight.instance)}, process ${sight.instance.pid}`);
  if (sight.state === 'refusing')
    return failed(
      `serves at ${urlOf(sight.instance)}, process ${sight.instance.pid}, and refuses this caller: ${sight.detail}`,
      'Ask as the user who runs it.',
    );
  const attach = `houmao-mgr agents gateway attach ${agent.name}`;
  if (sight.state === 'absent') return warning('none is running', `Start one: ${attach}`);
  const { instance: left, detail } = sight;
  // Its pid may be somebody else's by now; the lock is its own as long as it lives.
  return isHeld(agent.paths.lock)
    ? failed(
        `process ${left.pid} is there and does not answer: ${detail}`,
        `Read ${agent.paths.log}, then end it: kill ${left.pid}`,
      )
    : warning(
        `the last one, process ${left.pid}, ended without tidying up`,
        `Start one, it recovers the queue: ${attach}`,
      );
}

const lock = ({ lock: path }: SessionPaths): Shown =>
  isHeld(path) ? failed('a process holds it', `Find it: fuser ${path}`) : ok('free');

function isHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  const taken = tryLock(path);
  taken?.release();
  return taken === null;
}

async function port({ name, paths }: FoundAgent): Promise<Shown | null> {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  if (!desired?.desired_port) return null;
  const { desired_port, desired_host } = desired;
  const anyPort = `Take another one: houmao-mgr agents gateway attach ${name} --port 0`;
  const blocked = blockedPort(desired_port);
  if (blocked !== null) return failed(blocked, anyPort);
  const free = await new Promise<boolean>((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(desired_port, desired_host ?? '127.0.0.1', () => server.close(() => resolve(true)));
  });
  return free ? ok(`${desired_port} is free`) : failed(`${desired_port} is taken`, anyPort);
}

function queue(paths: SessionPaths): Shown | null {
  if (!existsSync(paths.queue)) return ok('none yet');
  const remedy = `Move it aside to start with an empty queue, or restore it from a backup: ${paths.queue}`;
  try {
    const database = openDatabase(paths.queue, { readonly: true, fileMustExist: true });
    const verdict = database.prepare<[], { quick_check: string }>('PRAGMA quick_check(1)').get()?.quick_check;
    database.close();
    return verdict === 'ok' ? ok('sound') : failed(verdict ?? 'unreadable', remedy);
  } catch (error) {
    return failed((error as Error).message, remedy);
  }
}
