import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { programFile } from '../foundation/programs.js';
import { toFound } from '../launch/agent-directory.js';
import type { AgentHost } from '../launch/agent-host.js';
import { agentIdOf } from '../launch/agent-name.js';
import { type Attached, attachGateway } from '../launch/attach-gateway.js';
import { createSession } from '../launch/create-session.js';
import { detachGateway } from '../launch/detach-gateway.js';
import { stopAgent } from '../launch/stop-agent.js';
import { readManifest } from '../session/manifest.js';
import { readRecord } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';

/** A stand-in agent that has its gateway. */
export interface DemoAgent extends Pick<Attached, 'url' | 'started'> {
  name: string;
  paths: SessionPaths;
}

/** Below which folder everything of the demo is, and the folder of its mail in it. */
export interface DemoPlace {
  home: string;
  mailbox: string;
}

/**
 * The agent of that name: the one of the last start, or a new one.
 * @param port of its gateway; 0 for any.
 */
export async function startAgent(
  name: string,
  place: DemoPlace,
  port: number,
  host: AgentHost,
): Promise<DemoAgent> {
  const paths = (await formerSession(name, host)) ?? (await newSession(name, place, host));
  const wish = { host: '127.0.0.1', mode: 'detached_process', diagnosticLog: null, flags: [] } as const;
  const { url, started } = await attachGateway(paths, { ...wish, port }, host);
  return { name, paths, url, started };
}

/** A gateway that was running before goes on. */
export async function stopAgents(agents: readonly DemoAgent[], host: AgentHost): Promise<void> {
  await Promise.all(agents.map(({ paths, started }) => (started ? detachGateway(paths, host) : null)));
}

async function formerSession(name: string, host: AgentHost): Promise<SessionPaths | null> {
  const record = readRecord(host.registryRoot, agentIdOf(name));
  if (!record?.runtime.session_root || !existsSync(record.runtime.manifest_path)) return null;
  const paths = sessionPaths(record.runtime.session_root);
  if (readManifest(paths.manifest).launch_plan.mailbox) return paths;
  // Releases before this one launched it without a mailbox, and without what has it work through mail.
  console.log(`The agent "${name}" of an earlier start has no mailbox; a new one takes its place.
Its files stay in ${paths.root}.`);
  await stopAgent(toFound(record), host);
  return null;
}

function newSession(name: string, { home, mailbox }: DemoPlace, host: AgentHost): Promise<SessionPaths> {
  const workingDirectory = join(home, 'workspace');
  mkdirSync(workingDirectory, { recursive: true });
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
      tmux: false,
      terminal: false,
      hooks: false,
      mailbox: { root: mailbox, address: null, principalId: null },
      turnTimeLimitSeconds: null,
      startup: { kind: 'none' },
    },
    host,
  );
}
