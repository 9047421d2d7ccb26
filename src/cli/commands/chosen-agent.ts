import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute } from 'node:path';
import { BadEnvironment } from '../../foundation/environment.js';
import { splitReference } from '../../foundation/host-name.js';
import { listed } from '../../foundation/text.js';
import type { RegisteredAgent } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { canonicalName, unprefixedName } from '../../launch/agent-name.js';
import { readManifest } from '../../session/manifest.js';
import { sessionPaths } from '../../session/session-paths.js';
import { CommandFailure, exitCodes, type FailureFields } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import { agentNames, findAgent } from './find-agent.js';

/** The ways to name an agent; without any of them, the agent is the one whose session the program runs in. */
export interface AgentChoice {
  /** The name or id, as an argument. */
  argument?: string | undefined;
  agentName?: string | undefined;
  agentId?: string | undefined;
  /** The place where a command names the agent: beside the command, before it, or nowhere. */
  place: 'beside' | 'single' | 'self';
}

/** An agent, and the name the operator used for it, which suggested commands use too. */
export interface ChosenAgent {
  asked: string;
  agent: Pick<RegisteredAgent, 'name' | 'paths'>;
}

/** The inputs of a command for one agent. */
export interface AgentCall {
  chosen: ChosenAgent;
  host: AgentHost;
  output: Output;
}

/**
 * Returns the agent that was named, or the one of this session. @throws {CommandFailure} when there is none, or it is named
 * wrongly.
 */
export function chosenAgent(choice: AgentChoice, host: AgentHost): ChosenAgent {
  const asked = askedName(choice);
  if (asked === null) return ownAgent(choice, host);
  const agent = findAgent(asked, host);
  requireKind(choice, { name: agent.name, id: agent.record.agent_id });
  return { asked, agent };
}

/** Returns the name that was given for the agent; null when none was. @throws {CommandFailure} when it is named twice. */
export function askedName({ argument, agentName, agentId }: Omit<AgentChoice, 'place'>): string | null {
  const asked = [argument, agentName, agentId].filter((one) => one !== undefined);
  if (asked.length > 1)
    throw new CommandFailure(
      `Name the agent once, not as ${asked.join(' and as ')}: as an argument, with --agent-name or with --agent-id.`,
      exitCodes.usage,
    );
  return asked[0] ?? null;
}

/** Returns the names that a reference may mean: itself, and that of the agent on the host which it names. */
const namesOf = (reference: string): string[] => [reference, splitReference(reference)?.agent ?? reference];

/** @throws {CommandFailure} when --agent-id was given a name, or --agent-name an id. */
export function requireKind(
  { agentName, agentId }: Omit<AgentChoice, 'place'>,
  { name, id }: { name: string; id: string },
) {
  if (agentId !== undefined && !namesOf(agentId).includes(id))
    throw new CommandFailure(
      `${agentId} is the name of an agent, not an id; its id is ${id}.`,
      exitCodes.usage,
    );
  if (agentName !== undefined && !namesOf(agentName).some((one) => name === canonicalName(one)))
    throw new CommandFailure(
      `${agentName} is the id of an agent, not a name; its name is ${unprefixedName(name)}.`,
      exitCodes.usage,
    );
}

/** Returns the agent in whose session this program runs, for an agent that handles its own mail. */
function ownAgent({ place }: AgentChoice, host: AgentHost): ChosenAgent {
  const { HOUMAO_MANIFEST_PATH: manifest, HOUMAO_AGENT_ID: id } = host.environment;
  if (manifest) {
    if (!isAbsolute(manifest))
      throw new BadEnvironment(`HOUMAO_MANIFEST_PATH must be an absolute path, got ${manifest}`);
    if (existsSync(manifest) || !id) {
      const paths = sessionPaths(dirname(manifest));
      const name = readManifest(manifest).agent_name ?? basename(paths.root);
      return { asked: name, agent: { name, paths } };
    }
  }
  if (id) return { asked: id, agent: findAgent(id, host) };
  throw noAgentNamed(
    place,
    "It can be left out only inside an agent's session, and HOUMAO_MANIFEST_PATH is not set here.",
    host,
  );
}

/**
 * Returns the failure for a command without an agent. @param why the reason why it cannot be left out; `agents self` knows only
 * the agent of its session
 */
export function noAgentNamed(place: AgentChoice['place'], why: string, host: AgentHost): CommandFailure {
  const known = agentNames(host);
  const hint = known.length === 0 ? undefined : `Agents: ${listed(known)}`;
  const usage = (detail: string, fields: FailureFields): CommandFailure =>
    new CommandFailure(detail, exitCodes.usage, fields);
  switch (place) {
    case 'beside':
      return usage(`Which agent? Give its name. ${why}`, { hint });
    case 'single':
      return usage(`Which agent? Give --agent-name or --agent-id after \`agents single\`. ${why}`, { hint });
    case 'self':
      return usage(
        '`agents self` is for the agent in whose session it runs, and HOUMAO_MANIFEST_PATH is not set here.',
        { hint: 'Name the agent instead: houmao-mgr agents single --agent-name <name> …' },
      );
  }
}
