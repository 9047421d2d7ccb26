import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { createGatewayClient, type Schemas } from '@houmao/sdk';
import { systemClock } from '../../foundation/clock.js';
import { tryLock } from '../../foundation/directory-lock.js';
import { openDatabase } from '../../foundation/open-database.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { liveGateway, urlOf } from '../../launch/live-gateway.js';
import { accessToken } from '../../session/access-token.js';
import { attachFile } from '../../session/attach-contract.js';
import { type CurrentInstance, currentInstanceFile } from '../../session/current-instance.js';
import { desiredConfigFile } from '../../session/desired-config.js';
import { readLaunchedManifest } from '../../session/manifest.js';
import { storageFault } from '../../session/queue-fault.js';
import { listRecords, registryRoot } from '../../session/registry.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { chooseTarget } from '../../target/choose-target.js';
import { type FoundAgent, findAgent, toFound } from '../find-agent.js';
import { CommandFailure, type Output } from '../terminal-output.js';

/** What a look at one thing has shown. */
interface Finding {
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** What to do; null where nothing has to be done. */
  remedy: string | null;
}
interface Patient {
  agent: FoundAgent;
  live: CurrentInstance | null;
  /** What the gateway itself says of its queue; null where none serves. */
  queue: Schemas['QueueState'] | null;
}
/** Null where there is nothing to look at. It may throw: that is a finding too. */
type Check = (patient: Patient) => Finding | null | Promise<Finding | null>;

const mebibyte = 1024 * 1024;
const leastFree = 100 * mebibyte;

/**
 * `agents doctor`: looks at everything a gateway needs, changes nothing, and says what to do. Exit code 1 when something
 * failed.
 */
export async function doctor(name: string | undefined, output: Output): Promise<void> {
  const agents = name === undefined ? allAgents() : [findAgent(name, process.env)];
  const reports = [];
  for (const agent of agents) {
    const live = await liveGateway(agent.paths);
    const patient = { agent, live, queue: live && (await queueOf(live)) };
    const findings: (Finding & { check: string })[] = [];
    for (const [check, look] of Object.entries(checks)) {
      const finding = await attempt(look, patient);
      if (finding) findings.push({ check, ...finding });
    }
    reports.push({ agent_name: agent.name, session_root: agent.paths.root, findings });
  }
  output.result(
    { agents: reports },
    reports.length === 0
      ? ['There are no agents. Launch one with: houmao-mgr agents launch']
      : reports.flatMap(({ agent_name, session_root, findings }) => [
          `${agent_name}  ${session_root}`,
          ...findings.flatMap(toLines),
        ]),
  );
  const bad = reports.flatMap(({ findings }) => findings.filter(({ state }) => state === 'failed'));
  if (bad.length > 0) throw new CommandFailure(`${bad.length} check(s) failed.`);
}

const queueOf = (live: CurrentInstance): Promise<Schemas['QueueState'] | null> =>
  createGatewayClient({ baseUrl: urlOf(live) })
    .getQueue()
    .catch(() => null);

const allAgents = (): FoundAgent[] => listRecords(registryRoot(process.env), () => undefined).map(toFound);

async function attempt(look: Check, patient: Patient): Promise<Finding | null> {
  try {
    return await look(patient);
  } catch (error) {
    const { message } = error as Error;
    return failed(systemFaultOf(error, patient.agent.paths.root) ?? message, null);
  }
}

const marks = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' } as const;
const toLines = ({ check, state, detail, remedy }: Finding & { check: string }): string[] => [
  `  ${marks[state]}  ${check}: ${detail}`,
  ...(remedy === null ? [] : [`           ${remedy}`]),
];

const ok = (detail: string): Finding => ({ state: 'ok', detail, remedy: null });
const warning = (detail: string, remedy: string): Finding => ({ state: 'warning', detail, remedy });
const failed = (detail: string, remedy: string | null): Finding => ({ state: 'failed', detail, remedy });

const checks: Readonly<Record<string, Check>> = {
  'session folder': ({ agent: { paths } }) => sessionFolder(paths),
  'disk space': ({ agent: { paths } }) => diskSpace(paths),
  manifest: ({ agent: { paths } }) => manifest(paths),
  agent: ({ agent: { paths } }) => agentItself(paths),
  'access token': ({ agent: { paths } }) => token(paths),
  gateway,
  // The rest is the gateway's own while one serves.
  lock: ({ agent: { paths }, live }) => (live ? null : lock(paths)),
  port: ({ agent: { paths }, live }) => (live ? null : port(paths)),
  queue: ({ agent: { paths }, live }) => (live ? null : queue(paths)),
  'running queue': runningQueue,
  'session files': ({ agent: { paths } }) => sessionFiles(paths),
};

/** What the gateway told when it met it, in the same words. */
function runningQueue({ agent: { paths }, live, queue }: Patient): Finding | null {
  if (!live) return null;
  if (!queue) return failed('the gateway does not say how it is', `Read ${paths.log}`);
  if (!queue.fault) return ok('can be stored');
  const { code, detail } = queue.fault;
  const { remedy } = storageFault(code, paths.queue);
  return failed(`${paths.queue}: ${detail}`, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`);
}

/** Files that somebody reads: those a gateway starts with, and those that tell where one is. */
function sessionFiles(paths: SessionPaths): Finding {
  desiredConfigFile.read(paths.desiredConfig);
  attachFile.read(paths.attach);
  currentInstanceFile.read(paths.currentInstance);
  return ok('readable');
}

function sessionFolder({ root }: SessionPaths): Finding {
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

function diskSpace({ root }: SessionPaths): Finding {
  const { bavail, bsize } = statfsSync(root);
  const free = Math.floor((bavail * bsize) / mebibyte);
  return bavail * bsize >= leastFree
    ? ok(`${free} MiB free`)
    : failed(`only ${free} MiB free`, 'Make room: what is accepted must get on disk.');
}

function manifest({ manifest: path }: SessionPaths): Finding {
  try {
    const { backend } = readLaunchedManifest(path);
    return ok(`readable, backend ${backend}`);
  } catch (error) {
    return failed((error as Error).message, 'Restore it, or stop the agent and launch it anew.');
  }
}

/** The first start makes it. */
function token({ accessToken: path }: SessionPaths): Finding | null {
  if (!existsSync(path)) return null;
  try {
    accessToken(path);
    return ok('private');
  } catch (error) {
    return failed((error as Error).message, 'Without it the gateway does not start.');
  }
}

async function agentItself(paths: SessionPaths): Promise<Finding | null> {
  const found = readLaunchedManifest(paths.manifest);
  const { connected, detail } = await chooseTarget(found, paths, systemClock, process.env).inspect();
  return connected
    ? ok(`${found.launch_plan.executable} in ${found.working_directory}`)
    : failed(detail ?? 'it cannot be reached', 'Bring it back, or stop the agent and launch it anew.');
}

function gateway({ agent, live }: Patient): Finding {
  if (live) return ok(`serves at ${urlOf(live)}, process ${live.pid}`);
  const attach = `houmao-mgr agents gateway attach ${agent.name}`;
  const left = currentInstanceFile.readIfUsable(agent.paths.currentInstance);
  if (!left) return warning('none is running', `Start one: ${attach}`);
  // Its pid may be somebody else's by now; the lock is its own as long as it lives.
  return isHeld(agent.paths.lock)
    ? failed(
        `process ${left.pid} is there and does not answer`,
        `Read ${agent.paths.log}, then end it: kill ${left.pid}`,
      )
    : warning(
        `the last one, process ${left.pid}, ended without tidying up`,
        `Start one, it recovers the queue: ${attach}`,
      );
}

const lock = ({ lock: path }: SessionPaths): Finding =>
  isHeld(path) ? failed('a process holds it', `Find it: fuser ${path}`) : ok('free');

function isHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  const taken = tryLock(path);
  taken?.release();
  return taken === null;
}

async function port(paths: SessionPaths): Promise<Finding | null> {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  if (!desired?.desired_port) return null;
  const { desired_port, desired_host } = desired;
  const free = await new Promise<boolean>((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(desired_port, desired_host ?? '127.0.0.1', () => server.close(() => resolve(true)));
  });
  return free
    ? ok(`${desired_port} is free`)
    : failed(`${desired_port} is taken`, 'Take another one: houmao-mgr agents gateway attach --port 0');
}

function queue(paths: SessionPaths): Finding | null {
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
