import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Agent, isHoumaoError, type TurnHandle } from '@houmao/sdk/managed-agent';
import { metadataHeader, metadataText } from '../../contract/prompt-metadata.js';
import type { Clock } from '../../foundation/clock.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError } from '../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords, textFrom } from '../flags/options.js';
import { againWords, executionOf, keyAndLabelsOf, limitsOf, type PromptFlags } from '../flags/work-flags.js';
import { refuseHeadlessFlags } from '../words/agent-kind.js';
import { CommandFailure, exitCodes, namedAs, remedyLines, reworded } from '../words/command-failure.js';
import { ProgressDisplay, whileAsked } from '../words/following.js';
import { interruptWords } from '../words/request-words.js';
import { AnswerStream } from '../words/streamed-answer.js';
import { interruptible, type Output, quoted } from '../words/terminal-output.js';
import {
  promptAtServerFailure,
  promptFailure,
  turnWays,
  waitFailure,
  waysBack,
} from '../words/waiting-failure.js';
import { type AgentAtServer, terminalAtServer } from './at-server/agent-at-server.js';
import { failureAt, type GatewayWay, promptWayTo, serverOf, wayTo } from './way-to.js';

/**
 * `agents prompt` for one agent: queues a prompt, or lets a server deliver it if the agent has no gateway; shows its progress and prints the
 * answer. Ctrl-C ends only the waiting, and prints the commands that lead back.
 */
export async function promptAgent(
  name: string,
  words: readonly string[],
  flags: PromptFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  await interruptible(async (signal) => {
    const way = await promptWayTo(name, flags, host, output);
    if (way.inTerminal) refuseHeadlessFlags(flags, { name, server: serverFlagWords(flags), tool: way.tool });
    const prompt = await promptText({ name, words, file: flags.file }, signal, output);
    const asked = { name, prompt, flags, signal };
    if (way.by === 'server') return promptAtServer(way, asked, host, output);
    const server = serverOf(way);
    const following = new ProgressDisplay(output, name, server === '' ? 'gateway' : 'server', server);
    try {
      await (flags.wait ? answered(way, asked, following, host, output) : queued(way, asked, output));
    } catch (error) {
      if (!isCallError(error)) throw error;
      const again = againWords(flags, prompt);
      const failure = promptFailure(error, name, again, following.runningTurn, server);
      throw reworded(failureAt(way, failure, name), following.inWords);
    }
  });
}

const submission = ({ flags }: AskedPrompt) => ({
  ...(flags.new ? { chatSession: { mode: 'new' as const } } : {}),
  ...executionOf(flags),
  ...keyAndLabelsOf(flags),
  deadline: flags.deadline,
});

async function answered(
  { client }: GatewayWay,
  asked: AskedPrompt,
  following: ProgressDisplay,
  { clock }: Pick<AgentHost, 'clock'>,
  output: Output,
): Promise<void> {
  const { prompt, flags, signal } = asked;
  const { onSilence } = following;
  const stream = new AnswerStream(output);
  const onUpdate: ProgressDisplay['onRequest'] = (request, silence) => {
    following.onRequest(request, silence);
    const path = { request_id: request.request_id };
    stream.begin(client.request(request.request_id).stream, async () =>
      following.onRequest(await client.getRequest({ path, signal }), null),
    );
  };
  const waiting = { ...limitsOf(flags), signal, onUpdate, onSilence };
  try {
    const answer = await whileAsked(
      () => client.getTuiState(),
      following,
      client.prompt(prompt, { ...submission(asked), ...waiting }),
      clock,
    );
    output.result({ answer, request: following.request }, await stream.rest(answer));
  } finally {
    stream.end();
    following.end();
  }
}

/** `--no-wait`: prints only the id on standard output, for a script. */
async function queued(way: GatewayWay, asked: AskedPrompt, output: Output): Promise<void> {
  const { name, prompt, signal } = asked;
  const { requestId } = await way.client.submit(prompt, { ...submission(asked), signal });
  output.result({ request_id: requestId, turn_id: null }, [requestId]);
  const queued = way.keptBy === null ? 'Queued.' : `The host of ${name} is away; the fleet keeps the prompt.`;
  output.progress(
    `${queued}\n${remedyLines(waysBack({ requestId, runningTurn: null }, name, serverOf(way)))}`,
  );
}

export interface InterruptFlags extends ServerFlag {
  /** The only turn that may be stopped. */
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
  const { client, atServer } = way;
  // The server names the turn also when the gateway is lost over the interrupt.
  if (atServer !== null) return interruptAtServer(atServer, headers, output);
  const { request_id } = await client.submitRequest({ body: { kind: 'interrupt', payload: {} }, headers });
  const call = { path: { request_id }, query: { wait_seconds: 30 } };
  const record = await client.getRequest(call).catch((error: unknown) => {
    throw isCallError(error) ? waitFailure(error, { requestId: request_id, runningTurn: null }, name) : error;
  });
  if (record.error)
    throw new CommandFailure(interruptWords(record), exitCodes.failed, {
      errorCode: record.error.code,
      requestId: record.request_id,
    });
  output.result(record, [interruptWords(record)]);
}

/** The forms in which an operator can give the text of a prompt. */
interface GivenPrompt {
  readonly name: string;
  /** The words after the name: a single one if the text was quoted. `-` is standard input. */
  readonly words: readonly string[];
  /** The value of `--file`; `-` is standard input. */
  readonly file: string | undefined;
}

/** Returns the text of a prompt. @throws {CommandFailure} when there is none, or more than one. */
async function promptText(given: GivenPrompt, signal: AbortSignal, output: Output): Promise<string> {
  const prompt = await textOf(given, signal, output);
  if (prompt.trim() === '') throw new CommandFailure('The prompt is empty.', exitCodes.usage);
  return prompt;
}

async function textOf(given: GivenPrompt, signal: AbortSignal, output: Output): Promise<string> {
  const { words, file } = given;
  const [word] = words;
  if (file === undefined && word !== undefined && word !== '-' && words.length === 1) return word;
  if (words.length > 0 && file !== undefined)
    throw new CommandFailure('Give the prompt once: as text, or with --file.', exitCodes.usage);
  if (words.length > 1 || (word ?? file) === undefined) throw notOne(given);
  return (word ?? file) === '-' ? standardInput(signal, output) : textFrom('--file', file ?? '');
}

function notOne({ name, words }: GivenPrompt): CommandFailure {
  const prompt = `houmao-mgr agents prompt ${quoted(name)}`;
  return words.length === 0
    ? new CommandFailure('A prompt is missing.', exitCodes.usage, {
        hint: `Give it: ${prompt} "Hello", or from a file: --file <path>. See houmao-mgr agents prompt --help`,
        remedies: [
          ['give it', `${prompt} "Hello"`],
          ['more', 'houmao-mgr agents prompt --help'],
        ],
      })
    : new CommandFailure(`The prompt came as ${words.length} words.`, exitCodes.usage, {
        remedies: [['put it in quotes', `${prompt} ${quoted(words.join(' '))}`]],
      });
}

async function standardInput(signal: AbortSignal, output: Output): Promise<string> {
  output.progress('Reading the prompt from standard input');
  try {
    return await text(addAbortSignal(signal, process.stdin));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure('Stopped. Nothing was queued.', exitCodes.stopped);
  }
}

/** A prompt with the name that the operator used for the agent. */
interface AskedPrompt {
  readonly name: string;
  readonly prompt: string;
  readonly flags: PromptFlags;
  readonly signal: AbortSignal;
}

/** `agents prompt` through a managed-agent server, for an agent without a gateway, which gets the prompt at once. */
async function promptAtServer(
  way: AgentAtServer,
  asked: AskedPrompt,
  { clock }: Pick<AgentHost, 'clock'>,
  output: Output,
): Promise<void> {
  const { agent, identity } = way;
  const { name, prompt, flags } = asked;
  const following = new ProgressDisplay(output, name, 'server', serverFlagWords(flags));
  try {
    await (flags.wait ? answeredAtServer(way, asked, following, clock, output) : taken(agent, asked, output));
  } catch (error) {
    if (!isHoumaoError(error)) throw error;
    const failure = promptAtServerFailure(
      error,
      name,
      serverFlagWords(flags),
      againWords(flags, prompt),
      following.runningTurn,
    );
    throw reworded(namedAs(failure, identity, name), following.inWords);
  }
}

async function answeredAtServer(
  way: AgentAtServer,
  asked: AskedPrompt,
  following: ProgressDisplay,
  clock: Clock,
  output: Output,
): Promise<void> {
  const { agent } = way;
  const { prompt, flags, signal } = asked;
  const { onRequest: onQueued, onSilence } = following;
  const stream = new AnswerStream(output);
  const onUpdate: ProgressDisplay['onTurn'] = (turn, silence) => {
    following.onTurn(turn, silence);
    const path = { turn_id: turn.turn_id };
    stream.begin(agent.turn(turn.turn_id).stream, async () =>
      following.onTurn(await agent.getTurnRecord({ path, signal }), null),
    );
  };
  const waiting = { ...limitsOf(flags), signal, onQueued, onUpdate, onSilence };
  try {
    const work = flags.new
      ? inNewConversation(agent, asked).then((turn) => turn.answer(waiting))
      : agent.prompt(prompt, { ...executionOf(flags), ...keyAndLabelsOf(flags), ...waiting });
    const answer = await whileAsked(terminalAtServer(way), following, work, clock);
    output.result({ answer, turn: following.turn }, await stream.rest(answer));
  } finally {
    stream.end();
    following.end();
  }
}

/** `--no-wait`: prints only the id on standard output, for a script. */
async function taken(agent: Agent, asked: AskedPrompt, output: Output): Promise<void> {
  const { name, prompt, flags, signal } = asked;
  const { turnId, requestId } = flags.new
    ? await inNewConversation(agent, asked)
    : await agent.submit(prompt, { ...executionOf(flags), ...keyAndLabelsOf(flags), signal });
  output.result({ request_id: requestId, turn_id: turnId }, [requestId ?? turnId]);
  const ways = remedyLines(turnWays({ turnId, requestId, runningTurn: null }, name, serverFlagWords(flags)));
  output.progress(`${requestId === null ? 'Taken' : 'Queued'}.\n${ways}`);
}

async function inNewConversation(agent: Agent, { prompt, flags, signal }: AskedPrompt): Promise<TurnHandle> {
  const { idempotencyKey, metadata } = keyAndLabelsOf(flags);
  const { data, response } = await agent
    .createTurn({
      body: { prompt, chat_session: { mode: 'new' }, ...executionOf(flags) },
      headers: {
        'Idempotency-Key': idempotencyKey,
        [metadataHeader]: metadataText(metadata ?? null),
      },
      signal,
    })
    .withResponse();
  return agent.turn(data.turn_id, response.headers.get('X-Houmao-Request-Id'));
}

/** `agents interrupt` through a managed-agent server. */
async function interruptAtServer(
  { agent }: AgentAtServer,
  headers: { 'X-Houmao-If-Turn': string | undefined },
  output: Output,
): Promise<void> {
  const accepted = await agent.submitAgentRequest({ body: { request_kind: 'interrupt' }, headers });
  output.result(accepted, [accepted.detail]);
}
