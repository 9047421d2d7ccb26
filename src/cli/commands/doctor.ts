import { counted } from '../../foundation/counted.js';
import { listAgents } from '../../launch/agent-directory.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { Output } from '../words/terminal-output.js';
import { examine } from './doctor-checks.js';
import type { Finding } from './doctor-finding.js';
import { findAgent, launchExample } from './find-agent.js';

/**
 * `agents doctor`: looks at everything a gateway needs, changes nothing, and says what to do. Exit code 1 when something
 * failed.
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
