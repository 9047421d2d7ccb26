import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { chooseTarget } from '../../dispatch/queue/session-runtime.js';
import { toolHasEnded } from '../../dispatch/readiness.js';
import { UnusableFile } from '../../foundation/faults.js';
import { openDatabase } from '../../foundation/open-database.js';
import { findProgram } from '../../foundation/programs.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { counted } from '../../foundation/text.js';
import { listAgents, type RegisteredAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { isHanging, probeGateway } from '../../launch/live-gateway.js';
import { MailFault, type MailFaultCode } from '../../mail/message/mail-fault.js';
import { type MailboxBinding, type MailHost, openTransport } from '../../mail/open-transport.js';
import { currentInstanceFile } from '../../session/current-instance.js';
import { attachFile, desiredConfigFile } from '../../session/gateway-start-files.js';
import { readLaunchedManifest } from '../../session/manifest.js';
import { turnHostOf } from '../../session/manifest-facts.js';
import { queueStore, type SessionPaths } from '../../session/session-paths.js';
import { accessToken, sessionCredentials } from '../../session/session-secrets.js';
import { onCopy } from '../../storage/read-copy.js';
import { trackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import {
  type AgentSeen,
  agentByGateway,
  type Finding,
  failed,
  gateway,
  lock,
  nodeOf,
  ok,
  type Patient,
  port,
  runningQueue,
  type Shown,
  warning,
  wordOf,
} from './doctor-gateway.js';
import { findAgent, launchExample } from './find-agent.js';

/**
 * `agents doctor`: checks everything a gateway needs, changes nothing, and names the remedies. Exit code 1 when a check failed.
 */
export async function doctor(name: string | undefined, host: AgentHost, output: Output): Promise<void> {
  const agents = name === undefined ? listAgents(host).agents : [findAgent(name, host)];
  const reports = [];
  for (const agent of agents) {
    const findings = await examine(agent, name ?? unprefixedName(agent.name), host);
    reports.push({ agent_name: agent.name, session_root: agent.paths.root, findings });
  }
  output.result(
    { agents: reports },
    reports.length === 0
      ? [output.pastable(`There are no agents. Launch one: ${launchExample}`)]
      : reports.flatMap(({ agent_name, session_root, findings }) => [
          `${unprefixedName(agent_name)}  ${session_root}`,
          ...findings.flatMap(toLines).map((line) => output.pastable(line)),
        ]),
    [
      { pattern: /(?<=^ {2})ok(?= )/, format: 'green' },
      { pattern: /(?<=^ {2})warning(?= )/, format: 'yellow' },
      { pattern: /(?<=^ {2})FAILED(?= )/, format: 'red' },
    ],
  );
  const bad = reports.flatMap(({ findings }) => findings.filter(({ state }) => state === 'failed'));
  if (bad.length > 0)
    throw new CommandFailure(`${counted(bad.length, 'check')} failed.`, exitCodes.failed, {
      errorCode: 'unhealthy',
    });
}

const marks = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' } as const;
const toLines = ({ check, state, detail, remedy }: Finding): string[] => [
  `  ${marks[state]}  ${check}: ${detail}`,
  ...(remedy === null ? [] : [`           ${remedy}`]),
];

/** One check. It returns null when it does not apply; an error that it throws counts as a finding too. */
type Check = (patient: Patient) => Shown | null | Promise<Shown | null>;

const mebibyte = 1024 * 1024;
const leastFree = 100 * mebibyte;

/** Runs all checks of an agent and its gateway; changes nothing. @param name as the operator named it */
export async function examine(agent: RegisteredAgent, name: string, host: AgentHost): Promise<Finding[]> {
  const sight = await probeGateway(agent.paths);
  const isTaken = sight.state === 'serving' || sight.state === 'refusing' || isHanging(sight, agent.paths);
  let seen: Promise<AgentSeen> | null = null;
  const look = (): Promise<AgentSeen> => {
    seen ??= lookAtAgent(agent.paths, host);
    return seen;
  };
  const patient = { agent, name, host, sight, isTaken, said: await wordOf(sight), look };
  const findings: Finding[] = [];
  for (const [check, look] of Object.entries(checks)) {
    const shown = await shownBy(look, patient);
    if (shown) findings.push({ check, ...shown });
  }
  return findings;
}

async function shownBy(look: Check, patient: Patient): Promise<Shown | null> {
  try {
    return await look(patient);
  } catch (error) {
    const { message } = error as Error;
    return failed(systemFaultOf(error, patient.agent.paths.root) ?? message, null);
  }
}

const checks: Readonly<Record<string, Check>> = {
  'session folder': ({ agent: { paths } }) => sessionFolder(paths),
  'disk space': ({ agent: { paths } }) => diskSpace(paths),
  manifest,
  agent: agentItself,
  tool: toolInTerminal,
  'access token': ({ agent: { paths } }) => token(paths),
  gateway,
  'node of the gateway': nodeOf,
  'agent, by its gateway': agentByGateway,
  // While a gateway is there, the following belong to it and are not checked.
  lock: ({ agent: { paths }, isTaken }) => (isTaken ? null : lock(paths)),
  port: ({ agent: { paths }, name, isTaken }) => (isTaken ? null : port(name, paths)),
  queue: ({ agent: { paths }, isTaken }) => (isTaken ? null : queue(paths)),
  'running queue': runningQueue,
  mailbox,
  'session files': ({ agent: { paths } }) => sessionFiles(paths),
};

async function mailbox({ agent: { paths }, host }: Patient): Promise<Shown | null> {
  const { mailbox: binding } = readLaunchedManifest(paths.manifest).launch_plan;
  if (!binding) return null;
  const { address, trouble, remedy } = await lookAtMailbox(binding, {
    clock: host.clock,
    ...sessionCredentials(paths),
  });
  return trouble === null ? ok(`${address}, usable`) : failed(trouble, remedy);
}

/** Checks the files that other programs read: those a gateway starts with, and the one that says where it is. */
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
    : failed(
        `only ${free} MiB free`,
        'Free some space: the gateway stores each request before it accepts it.',
      );
}

function manifest({ agent: { paths }, name }: Patient): Shown {
  try {
    return ok(`readable, backend ${readLaunchedManifest(paths.manifest).backend}`);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    return failed(
      error.message,
      `Stop the agent, which works without the manifest: houmao-mgr agents stop ${name}`,
    );
  }
}

/** Checks the access token; null when there is none yet, since the first start makes it. */
function token({ accessToken: path }: SessionPaths): Shown | null {
  if (!existsSync(path)) return null;
  try {
    accessToken(path);
    return ok('private');
  } catch (error) {
    return failed((error as Error).message, 'The gateway does not start without this file.');
  }
}

async function lookAtAgent(paths: SessionPaths, host: AgentHost): Promise<AgentSeen> {
  const manifest = readLaunchedManifest(paths.manifest);
  const target = chooseTarget(manifest, paths, host, {
    timings: trackerTimings(),
    changed: () => undefined,
    report: () => undefined,
  });
  const { connected, detail } = await target.inspect();
  await target.terminal?.stop();
  return { manifest, connected, detail, terminal: target.terminal };
}

/**
 * Checks the tool in its terminal: the terminal stays when its tool ends, so the agent counts as connected although nothing
 * takes its prompts.
 */
async function toolInTerminal({ look, name }: Patient): Promise<Shown | null> {
  const { connected, terminal } = await look();
  if (!connected || !terminal) return null;
  return toolHasEnded(terminal)
    ? failed('does not run in its terminal', `Start it there again: houmao-mgr agents restart ${name}`)
    : ok('runs in its terminal');
}

async function agentItself({ look, name, host }: Patient): Promise<Shown | null> {
  const { manifest, connected, detail } = await look();
  const place = `${manifest.launch_plan.executable} in ${manifest.working_directory}`;
  if (connected) return ok(place);
  // Without tmux the agent's state is unknown, and it could not be stopped either.
  const isUnseen =
    turnHostOf(manifest) === 'tmux' && findProgram('tmux', host.environment.PATH ?? '', '/') === null;
  return failed(
    `${detail ?? 'It cannot be reached.'} It runs as ${place}.`,
    isUnseen
      ? 'Install tmux, or put its folder on PATH, then look again.'
      : `Bring it back: houmao-mgr agents restart ${name}`,
  );
}

async function queue(paths: SessionPaths): Promise<Shown> {
  if (!existsSync(paths.queue)) return ok('none yet');
  const remedy = `Move it aside to start with an empty queue, or restore it from a backup: ${paths.queue}`;
  try {
    const verdict = await onCopy(queueStore(paths), quickCheck);
    return verdict === 'ok' ? ok('sound') : failed(verdict ?? 'unreadable', remedy);
  } catch (error) {
    if (error instanceof UnusableFile) return failed(`${error.path}: ${error.reason}`, error.remedy);
    return failed((error as Error).message, remedy);
  }
}

function quickCheck(path: string): string | undefined {
  const database = openDatabase(path);
  try {
    return database.prepare<[], { quick_check: string }>('PRAGMA quick_check(1)').get()?.quick_check;
  } finally {
    database.close();
  }
}

/** The state of an agent's mailbox; `remedy` is null when the trouble's own words name it, or there is none. */
interface MailboxSight {
  address: string;
  trouble: string | null;
  remedy: string | null;
}

/** The faults that a repair of the mailbox root fixes. */
const repaired: ReadonlySet<MailFaultCode> = new Set(['mailbox_damaged', 'root_missing']);

/** Opens the mailbox and reads its newest message, as the agent would. Changes nothing. */
async function lookAtMailbox(binding: MailboxBinding, host: MailHost): Promise<MailboxSight> {
  const { address } = binding;
  try {
    const transport = openTransport(binding, host);
    try {
      await transport.check();
      const all = { read: null, answered: null, archived: null, since: null };
      await transport.list({ ...all, box: 'inbox', limit: 1, bodies: false });
    } finally {
      transport.close();
    }
    return { address, trouble: null, remedy: null };
  } catch (error) {
    if (!(error instanceof MailFault)) throw error;
    return { address, trouble: error.message, remedy: remedyOf(error, binding) };
  }
}

const remedyOf = ({ code }: MailFault, binding: MailboxBinding): string | null =>
  repaired.has(code) && binding.transport === 'filesystem'
    ? `Repair it: houmao-mgr mailbox repair --mailbox-root ${binding.filesystem_root}`
    : null;
