import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findAgentTmux } from '../agent/local/agent-place.js';
import { makeFolder } from '../foundation/make-folder.js';
import { programFile } from '../foundation/programs.js';
import { findAgent, toFound } from '../launch/agent-directory.js';
import type { AgentHost } from '../launch/agent-host.js';
import { agentIdOf } from '../launch/agent-name.js';
import { createSession } from '../launch/create-session.js';
import { type Attached, attachGateway, detachGateway } from '../launch/gateway-attachment.js';
import { stopAgent } from '../launch/stop-agent.js';
import { readManifest } from '../session/manifest.js';
import { readRecord } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import { type WatchedProgram, watchedProcess } from './watch-programs.js';

/** A stand-in agent with its gateway. */
export interface DemoAgent extends Pick<Attached, 'url' | 'started'> {
  name: string;
  /** Whether the agent runs in a terminal and is stopped with the demo; a headless one is there again at the next start. */
  terminal: boolean;
  /** The pid of its gateway. */
  pid: number;
  paths: SessionPaths;
}

/** The folder that holds everything of the demo, and the mail folder in it. */
export interface DemoPlace {
  home: string;
  mailbox: string;
}

/** The agent to start, and how it runs. */
export interface DemoAgentOptions extends Pick<DemoAgent, 'name' | 'terminal'> {
  /** The port of its gateway; 0 for any. */
  port: number;
}

/** Starts the agent of that name: the one of the last start, or a new one. */
export async function startAgent(
  options: DemoAgentOptions,
  place: DemoPlace,
  host: AgentHost,
): Promise<DemoAgent> {
  const { name, terminal, port } = options;
  const paths = (await formerSession(options, host)) ?? (await newSession(options, place, host));
  const gateway = {
    host: '127.0.0.1',
    mode: 'detached_process',
    diagnosticLog: null,
    keeping: {},
    flags: [],
  } as const;
  const { url, started, instance } = await attachGateway(paths, { ...gateway, port }, host);
  return { name, terminal, pid: instance.pid, paths, url, started };
}

/** Returns the agent's gateway, and its terminal if it has one: they run on without this process, and may end without it. */
export function programsOf({ name, terminal, pid, paths }: DemoAgent, { tmux }: AgentHost): WatchedProgram[] {
  const gateway = watchedProcess(`The gateway of "${name}"`, `see ${paths.log}`, pid);
  if (!terminal) return [gateway];
  const manifest = readManifest(paths.manifest);
  // When tmux gives no answer, the terminal counts as running until the next check.
  const hasEnded = async (): Promise<boolean> => !(await findAgentTmux(manifest, tmux).catch(() => true));
  return [gateway, { name: `The terminal of "${name}"`, why: `see ${paths.log}`, hasEnded }];
}

/** Returns whether the agent is still registered with this session, so that it was not stopped or replaced since. */
export const isRegistered = ({ name, paths }: DemoAgent, { registryRoot }: AgentHost): boolean =>
  readRecord(registryRoot, agentIdOf(name))?.runtime.session_root === paths.root;

/**
 * Stops the agents whose gateways this demo started, except headless ones, whose gateways are only detached. A gateway that ran
 * before the demo runs on, with its agent.
 */
export async function stopAgents(agents: readonly DemoAgent[], host: AgentHost): Promise<void> {
  await Promise.all(
    agents
      .filter((agent) => agent.started && isRegistered(agent, host))
      .map(({ name, terminal, paths }) =>
        terminal ? stopAgent(findAgent(name, host), host) : detachGateway(paths, host),
      ),
  );
}

async function formerSession(
  { name, terminal }: DemoAgentOptions,
  host: AgentHost,
): Promise<SessionPaths | null> {
  const record = readRecord(host.registryRoot, agentIdOf(name));
  if (!record?.runtime.session_root || !existsSync(record.runtime.manifest_path)) return null;
  const paths = sessionPaths(record.runtime.session_root);
  const manifest = readManifest(paths.manifest);
  const { backend, launch_plan } = manifest;
  const sameKind = (backend === 'local_interactive') === terminal;
  if (sameKind && terminal) {
    if (await findAgentTmux(manifest, host.tmux)) return paths;
  } else if (sameKind && launch_plan.mailbox) return paths;
  // Earlier releases launched this agent without a mailbox, or without a terminal.
  else
    console.log(`The agent "${name}" of an earlier start is of another kind; a new one replaces it.
Its files stay in ${paths.root}.`);
  await stopAgent(toFound(record), host);
  return null;
}

function newSession(
  { name, terminal }: DemoAgentOptions,
  { home, mailbox }: DemoPlace,
  host: AgentHost,
): Promise<SessionPaths> {
  const workingDirectory = join(home, 'workspace');
  makeFolder(workingDirectory);
  return createSession(
    {
      tool: 'claude',
      name,
      role: null,
      roleName: 'default',
      model: null,
      reasoningLevel: null,
      workingDirectory,
      homePath: join(home, 'standin'),
      executable: programFile('standin-agent'),
      environment: { PATH: host.environment.PATH ?? '', HOME: home, HOUMAO_STANDIN_MAIL: '1' },
      toolArguments: [],
      unattended: false,
      tmux: terminal,
      terminal,
      hooks: false,
      skills: false,
      mailbox: { root: mailbox, address: null, principalId: null },
      turnTimeLimitSeconds: null,
      startup: { kind: 'none' },
    },
    host,
  );
}
