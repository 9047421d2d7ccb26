import { join } from 'node:path';
import { findProgram, programFile } from '../../foundation/programs.js';
import { listed } from '../../foundation/text.js';
import { findAgent, NoSuchAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { givenKeeping, type KeepingOptions } from '../../session/keeping-options.js';
import type { ToolName } from '../../tools/adapter/tool-adapter.js';
import { toolAdapter, toolNames } from '../../tools/tool-registry.js';
import type { Config, NewAgentDefaults } from '../config/config-file.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { CommandResult, Output } from '../words/terminal-output.js';
import { launched } from './agents.js';
import { broughtBack } from './restart.js';
import { serversHere } from './server/see-servers.js';
import { ensureServer, type FleetFlags, fleetFlagsOf } from './server/server.js';

export interface UpFlags extends KeepingOptions {
  tool?: ToolName;
  standin?: boolean;
  name?: string;
  workdir: string;
  tui?: boolean;
  unattended?: boolean;
  port?: number;
}

/**
 * `up`: from nothing to a working agent: a server, and an agent with its gateway. Anything that runs already stays as it is, so
 * that a second `up` changes nothing.
 *
 * @param config what a new agent and a new server get where the flags say nothing else
 */
export async function bringUp(
  flags: UpFlags,
  config: Pick<Config, 'newAgent' | 'fleet'>,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const { newAgent: usual } = config;
  const chosen = chosenTool({ ...usual, ...flags }, host, output);
  const name = flags.name ?? (flags.standin ? 'standin' : chosen.tool);
  // The agent comes first: what is refused is refused before anything was started.
  const agent = await agentFor(name, chosen, { ...flags, usual }, host, output);
  const server = await serverFor(flags, fleetFlagsOf(config, host.environment), host, output);
  const url = server.instance.api_base_url;
  output.result(
    {
      server: { api_base_url: url, reused_existing: server.reused, server_root: server.paths.root },
      agent: agent.value,
    },
    [
      `The server ${server.reused ? 'serves already' : 'serves'} ${url}`,
      ...agent.lines,
      '',
      ...[
        'See all agents  houmao-mgr agents list',
        `Read the API    ${url}/docs`,
        `Stop it         houmao-mgr agents stop ${name}, and houmao-mgr server stop`,
      ].map((line) => output.pastable(line)),
    ],
  );
}

interface ChosenTool {
  readonly tool: ToolName;
  /** The program to run in place of the tool's own; null for that. */
  readonly executable: string | null;
  /** The folder of its files, in place of the user's own; null for that. */
  readonly home: string | null;
}

/** @throws {CommandFailure} when no tool is installed */
function chosenTool({ tool, standin }: UpFlags, host: AgentHost, output: Output): ChosenTool {
  if (standin)
    return {
      tool: 'claude',
      executable: programFile('standin-agent'),
      home: join(host.home, '.houmao', 'standin'),
    };
  if (tool !== undefined) return { tool, executable: null, home: null };
  const [first, ...others] = toolNames.filter(
    (name) => findProgram(toolAdapter(name).executable, host.environment.PATH ?? '', process.cwd()) !== null,
  );
  if (first === undefined)
    throw new CommandFailure(
      `None of ${listed(toolNames)} was found in PATH; install one of them.`,
      exitCodes.failed,
      {
        errorCode: 'no_tool',
        remedies: [['or try it with a stand-in agent, which needs no account', 'houmao-mgr up --standin']],
      },
    );
  if (others.length > 0)
    output.progress(`Using ${first}; ${listed(others)} would do too: houmao-mgr up --tool ${others[0]}`);
  return { tool: first, executable: null, home: null };
}

/** A server of this host that serves already is taken, at whichever port, unless the port was named. */
async function serverFor(
  { port }: UpFlags,
  flags: FleetFlags,
  host: AgentHost,
  output: Output,
): ReturnType<typeof ensureServer> {
  if (port !== undefined) return ensureServer({ ...flags, port }, host, output);
  const serving = (await serversHere(host)).find(({ sight }) => sight.state === 'serving');
  return serving === undefined
    ? ensureServer(flags, host, output)
    : { paths: serving.paths, instance: serving.sight.instance, reused: true };
}

async function agentFor(
  name: string,
  { tool, executable, home }: ChosenTool,
  { workdir, tui = false, unattended = false, usual, ...flags }: UpFlags & { usual: NewAgentDefaults },
  host: AgentHost,
  output: Output,
): Promise<CommandResult> {
  const gateway = {
    ...givenKeeping(flags),
    allowedHost: [],
    allowedOrigin: [],
    allowedUser: [],
    gateway: true,
  };
  const registered = registeredName(name, host);
  if (registered !== null) return broughtBack(unprefixedName(registered), gateway, host, output);
  return launched(
    {
      ...usual,
      ...gateway,
      tool,
      name,
      workdir,
      tui,
      headless: !tui,
      unattended,
      env: [],
      // A headless agent works without; with it, `tmux attach` shows what it does.
      tmux: tui || (await hasTmux(host)),
      ...(executable !== null && { executable }),
      ...(home !== null && { home }),
    },
    [],
    host,
    output,
  );
}

function registeredName(name: string, host: AgentHost): string | null {
  try {
    return findAgent(name, host).name;
  } catch (error) {
    if (error instanceof NoSuchAgent) return null;
    throw error;
  }
}

const hasTmux = ({ tmux }: AgentHost): Promise<boolean> =>
  tmux.requireTerminals().then(
    () => true,
    () => false,
  );
