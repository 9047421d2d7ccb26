import { text } from 'node:stream/consumers';
import { createGatewayClient, isGatewayError, PromptFailed, type Schemas } from '@houmao/sdk';
import { findAgent, requireGateway } from '../find-agent.js';
import { CommandFailure, type Output } from '../terminal-output.js';

export interface PromptFlags {
  model?: string;
  reasoning?: number;
  new?: boolean;
}

/** `agents prompt`: queues a prompt, shows what becomes of it, prints the answer. `-` reads it from standard input. */
export async function promptAgent(
  name: string,
  given: string,
  flags: PromptFlags,
  output: Output,
): Promise<void> {
  const url = await requireGateway(findAgent(name, process.env));
  const prompt = given === '-' ? await text(process.stdin) : given;
  if (prompt.trim() === '') throw new CommandFailure('The prompt is empty.');
  const client = createGatewayClient({ baseUrl: url });
  let record: Schemas['RequestRecord'] | null = null;
  try {
    const answer = await client.prompt(prompt, {
      ...(flags.new ? { chatSession: { mode: 'new' as const } } : {}),
      ...executionOf(flags),
      onUpdate: (update) => {
        announce(record, update, output);
        record = update;
      },
    });
    output.result({ answer, request: record }, [answer]);
  } catch (error) {
    if (error instanceof PromptFailed)
      throw new CommandFailure(`The prompt failed (${error.errorCode}): ${error.detail}`);
    if (isGatewayError(error))
      throw new CommandFailure(`The gateway refused the prompt (${error.errorCode}): ${error.detail}`);
    throw error;
  }
}

function executionOf(flags: PromptFlags) {
  if (flags.model === undefined && flags.reasoning === undefined) return {};
  return {
    execution: {
      model: {
        ...(flags.model === undefined ? {} : { name: flags.model }),
        ...(flags.reasoning === undefined ? {} : { reasoning: { level: flags.reasoning } }),
      },
    },
  };
}

/** Tells of each step once: waiting and why, running, what the agent has taken. */
function announce(
  before: Schemas['RequestRecord'] | null,
  now: Schemas['RequestRecord'],
  output: Output,
): void {
  if (before === null) output.progress(`Queued as ${now.request_id}`);
  if (now.waiting_reason && now.waiting_reason.detail !== before?.waiting_reason?.detail)
    output.progress(`Waiting: ${now.waiting_reason.detail}`);
  if (now.state === 'running' && before?.state !== 'running')
    output.progress(`Running as ${now.turn?.turn_id}`);
  const delivery = now.turn?.delivery;
  if (delivery?.state === 'confirmed' && before?.turn?.delivery.state !== 'confirmed')
    output.progress(`Delivered: ${delivery.evidence}`);
}

/** `agents interrupt`: stops the turn that runs now. */
export async function interruptAgent(name: string, output: Output): Promise<void> {
  const client = createGatewayClient({ baseUrl: await requireGateway(findAgent(name, process.env)) });
  const accepted = await client.submitRequest({ body: { kind: 'interrupt', payload: {} } });
  const record = await client.getRequest({
    path: { request_id: accepted.request_id },
    query: { wait_seconds: 30 },
  });
  const { result } = record;
  output.result(record, [
    result?.outcome === 'stopped'
      ? `Stopped turn ${result.turn_id} (${result.signal}).`
      : result?.outcome === 'no_op'
        ? 'Nothing was running.'
        : `The interrupt is ${record.state}.`,
  ]);
}
