import type { Command } from 'commander';
import { isCallError } from '../protocols/agent-work.js';
import type { CommandCaller } from './caller.js';
import { noGatewayAtServer } from './commands/at-server/agent-at-server.js';
import { serverClient } from './commands/server/see-servers.js';
import { wayTo } from './commands/way-to.js';
import { failureOf } from './failures.js';
import { type ServerFlag, serverFlagWords, serverOption } from './flags/options.js';
import { type ExitCode, exitCodes } from './words/command-failure.js';
import { interruptible } from './words/terminal-output.js';

/** The sentences that explain a failure to the user of another program. */
const explain = (error: unknown): string => failureOf(error).message;

/** The exit codes of failures whose reason is what was asked for. */
const mistakes: ReadonlySet<ExitCode> = new Set([exitCodes.notFound, exitCodes.usage]);

function explainMistakes(error: unknown): { words: string; isMistake: boolean } {
  const { message: words, exitCode } = failureOf(error);
  return { words, isMistake: mistakes.has(exitCode) || (isCallError(error) && error.status === 422) };
}

/** `mcp` and `acp`: the agents for programs that speak a standard. Standard output belongs to the protocol. */
export function addProtocols(program: Command, caller: CommandCaller): void {
  program
    .command('mcp')
    .description(
      'serve the agents as MCP tools over standard input and output (needs a managed-agent server)',
    )
    .addOption(serverOption())
    .action(async (flags: ServerFlag) => {
      const { serveMcpOverStdio } = await import('../protocols/mcp/mcp-stdio.js');
      const none = 'No managed-agent server runs here, so no program knows the agents.';
      const client = () => serverClient(flags, caller.host(), none);
      await interruptible((stopped) =>
        serveMcpOverStdio({ client, stopped, explain, report: console.error }, process.stdin),
      );
    });
  program
    .command('acp <agent>')
    .description('serve one agent to an editor, by the Agent Client Protocol over standard input and output')
    .addOption(serverOption())
    .action(async (name: string, flags: ServerFlag) => {
      const { serveAcpOverStdio } = await import('../protocols/acp/acp-agent.js');
      const agent = async () => {
        const way = await wayTo(name, flags, caller.host(), caller.output({ json: true }));
        if (way.by === 'gateway') return { name, gateway: way.client, inTerminal: way.inTerminal };
        throw noGatewayAtServer(name, serverFlagWords(flags));
      };
      await serveAcpOverStdio({ agent, explain: explainMistakes }, process.stdin, process.stdout);
    });
}
