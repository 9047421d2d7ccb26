import { type GatewayClient, isGatewayError } from '@houmao/sdk';
import type { AgentHost } from '../../launch/agent-host.js';
import { againWords, executionOf, type PromptFlags } from '../flags/prompt-flags.js';
import { type ServerFlag, serverFlagWords } from '../flags/server-flag.js';
import { limitsOf } from '../flags/waiting-flags.js';
import { refuseHeadlessFlags } from '../words/agent-kind.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { Following } from '../words/following.js';
import { reworded } from '../words/named-as.js';
import { remedyLines } from '../words/remedies.js';
import { interruptWords } from '../words/request-words.js';
import type { Output } from '../words/terminal-output.js';
import { promptFailure, waitFailure, waysBack } from '../words/waiting-failure.js';
import { whileAsked } from '../words/while-asked.js';
import { type AskedPrompt, interruptAtServer, promptAtServer } from './at-server/prompt-at-server.js';
import { interruptible } from './interruptible.js';
import { promptText } from './prompt-text.js';
import { wayTo } from './way-to.js';

/**
 * `agents prompt`: queues a prompt, or has a server hand it over where the agent has no gateway; shows what becomes of it, prints
 * the answer. Ctrl-C ends the waiting alone, and says how to come back.
 */
export async function promptAgent(
  name: string,
  words: readonly string[],
  flags: PromptFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  await interruptible(async (signal) => {
    const way = await wayTo(name, flags, host, output);
    if (way.inTerminal) refuseHeadlessFlags(flags, { name, server: serverFlagWords(flags), tool: way.tool });
    const prompt = await promptText({ name, words, file: flags.file }, signal, output);
    const asked = { name, prompt, flags, signal };
    if (way.by === 'server') return promptAtServer(way, asked, host, output);
    const following = new Following(output, name, 'gateway');
    try {
      await (flags.wait
        ? answered(way.client, asked, following, host, output)
        : queued(way.client, asked, output));
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      const failure = promptFailure(error, name, againWords(flags, prompt), following.runningTurn);
      throw reworded(failure, following.inWords);
    }
  });
}

const submission = ({ flags }: AskedPrompt) => ({
  ...(flags.new ? { chatSession: { mode: 'new' as const } } : {}),
  ...executionOf(flags),
  idempotencyKey: flags.idempotencyKey,
});

async function answered(
  client: GatewayClient,
  asked: AskedPrompt,
  following: Following,
  { clock }: Pick<AgentHost, 'clock'>,
  output: Output,
): Promise<void> {
  const { prompt, flags, signal } = asked;
  const { onRequest: onUpdate, onSilence } = following;
  const waiting = { ...limitsOf(flags), signal, onUpdate, onSilence };
  try {
    const answer = await whileAsked(
      () => client.getTuiState(),
      following,
      client.prompt(prompt, { ...submission(asked), ...waiting }),
      clock,
    );
    output.result({ answer, request: following.request }, [answer]);
  } finally {
    following.end();
  }
}

/** `--no-wait`: the id alone on standard output, for a script. */
async function queued(client: GatewayClient, asked: AskedPrompt, output: Output): Promise<void> {
  const { name, prompt, signal } = asked;
  const { requestId } = await client.submit(prompt, { ...submission(asked), signal });
  output.result({ request_id: requestId, turn_id: null }, [requestId]);
  output.progress(`Queued.\n${remedyLines(waysBack({ requestId, runningTurn: null }, name))}`);
}

export interface InterruptFlags extends ServerFlag {
  /** The one turn that is to be stopped. */
  turn?: string;
}

/** `agents interrupt`: stops the turn that runs now. */
export async function interruptAgent(
  name: string,
  flags: InterruptFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const way = await wayTo(name, flags, host, output);
  const headers = { 'X-Houmao-If-Turn': flags.turn };
  if (way.by === 'server') return interruptAtServer(way, headers, output);
  const { client } = way;
  const accepted = await client.submitRequest({ body: { kind: 'interrupt', payload: {} }, headers });
  const path = { request_id: accepted.request_id };
  const record = await client.getRequest({ path, query: { wait_seconds: 30 } }).catch((error: unknown) => {
    throw isGatewayError(error)
      ? waitFailure(error, { requestId: accepted.request_id, runningTurn: null }, name)
      : error;
  });
  if (record.error)
    throw new CommandFailure(interruptWords(record), exitCodes.failed, {
      errorCode: record.error.code,
      requestId: record.request_id,
    });
  output.result(record, [interruptWords(record)]);
}
