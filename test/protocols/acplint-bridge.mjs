// Stands between acplint 0.1.0 and an agent. That release has three things as no version of ACP has them
// (https://agentclientprotocol.com/protocol/v1/schema): the protocol version as a string, a prompt as `content`, and the names of updates
// without their underscores. Nothing else is changed. acp-others.test.ts tells when it can go.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
agent.on('exit', (code) => process.exit(code ?? 1));

const pass = (input, output, change) =>
  createInterface({ input })
    .on('line', (line) => output.write(`${JSON.stringify(change(JSON.parse(line)))}\n`))
    .on('close', () => output === agent.stdin && output.end());

pass(process.stdin, agent.stdin, (message) => {
  const { protocolVersion } = message.params ?? {};
  if (message.method === 'initialize' && typeof protocolVersion === 'string')
    message.params.protocolVersion = Number(protocolVersion);
  if (message.method === 'session/prompt' && message.params.content !== undefined) {
    message.params.prompt = message.params.content;
    delete message.params.content;
  }
  return message;
});
pass(agent.stdout, process.stdout, (message) => {
  if (typeof message.result?.protocolVersion === 'number')
    message.result.protocolVersion = String(message.result.protocolVersion);
  const { update } = message.params ?? {};
  if (update?.sessionUpdate)
    update.sessionUpdate = update.sessionUpdate.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  return message;
});
