import { join } from 'node:path';
import { systemClock } from '../../src/foundation/clock.js';
import { type AgentHost, agentHost } from '../../src/launch/agent-host.js';
import type { RequestedLaunch } from '../../src/launch/launch-request.js';
import { standinProgram } from './test-session.js';

/** A host whose folders are all below one; nothing of this process's environment but PATH is in it. */
export const hostIn = (folder: string, environment: NodeJS.ProcessEnv = {}): AgentHost =>
  agentHost(
    {
      PATH: process.env.PATH,
      HOME: folder,
      HOUMAO_GLOBAL_RUNTIME_DIR: join(folder, 'runtime'),
      HOUMAO_GLOBAL_REGISTRY_DIR: join(folder, 'registry'),
      ...environment,
    },
    systemClock,
  );

/** Somebody wants the stand-in agent, without tmux. */
export const requestFor = (
  name: string,
  folder: string,
  more: Partial<RequestedLaunch> = {},
): RequestedLaunch => ({
  tool: 'claude',
  name,
  role: null,
  model: null,
  reasoningLevel: null,
  workingDirectory: folder,
  homePath: null,
  executable: standinProgram,
  variables: [],
  toolArguments: [],
  unattended: false,
  tmux: false,
  terminal: false,
  hooks: false,
  skills: false,
  mailbox: null,
  turnTimeLimitSeconds: null,
  startup: { kind: 'none' },
  ...more,
});
