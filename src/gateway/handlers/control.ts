import type { ControlHandlers } from '../../../generated/gateway/server/control-handlers.js';
import type { components } from '../../../generated/gateway/types.js';
import { metadataOf, type PromptMetadata } from '../../contract/prompt-metadata.js';
import { doneHeader, keyOfAnotherBody } from '../../contract/refusals.js';
import { keysObstacle } from '../../dispatch/readiness.js';
import { noTerminal, typeKeys } from '../../dispatch/type-keys.js';
import { isWholeDatabase } from '../../storage/storage-fault.js';
import type { ControlAnswer, ControlRefusal } from '../control/keyed-prompts.js';
import type { Gateway } from '../gateway.js';

type Controlled = Pick<
  Gateway,
  'axes' | 'control' | 'events' | 'manifest' | 'prompts' | 'queue' | 'reader' | 'target'
>;

export const controlHandlers = (gateway: Controlled): ControlHandlers => ({
  controlPrompt: async ({ body, headers }, reply) => {
    const sent = await send(gateway, body, headers['Idempotency-Key'] ?? null, metadataOf(headers));
    if ('otherBody' in sent) return reply(422, { detail: keyOfAnotherBody });
    if ('turnId' in sent) {
      return reply(
        200,
        {
          status: 'ok',
          action: 'submit_prompt',
          sent: true,
          forced: body.force,
          detail: 'Prompt dispatched.',
        },
        {
          'X-Houmao-Turn-Id': sent.turnId,
          Location: `/v1/turns/${sent.turnId}`,
          ...(sent.replayed && { 'Idempotency-Replayed': 'true' as const }),
        },
      );
    }
    const refusal = {
      status: 'error' as const,
      action: 'submit_prompt' as const,
      sent: false as const,
      forced: body.force,
      error_code: sent.code,
      detail: sent.detail,
    };
    return reply(statusOf[sent.code], { detail: refusal }, whatBecame(sent));
  },

  sendKeys: async ({ body }, reply) => {
    const { terminal } = gateway.target;
    // The tool may have ended since the last observation, and the program that reads its keys now would run them.
    const obstacle = keysObstacle(await gateway.axes.observe(), terminal);
    if (obstacle?.code === 'reconciliation') return reply(409, { detail: obstacle.detail });
    if (obstacle) return reply(503, { detail: obstacle.detail });
    if (!terminal) return reply(422, { detail: noTerminal });
    const { sequence, escape_special_keys: literal } = body;
    const { journal, printUnlessStorage } = gateway.events;
    const trouble = await typeKeys(terminal, { sequence, literal }, journal, printUnlessStorage);
    if (trouble?.code === 'lost') return reply(503, { detail: trouble.detail }, { [doneHeader]: 'unknown' });
    if (trouble) return reply(422, { detail: trouble.detail });
    return reply(200, {
      status: 'ok',
      action: 'control_input',
      detail: 'Delivered control input to the local interactive session.',
    });
  },

  getQueue: (_context, reply) => reply(200, queueOf(gateway)),

  updateQueue: async ({ body }, reply) => {
    await gateway.control.setPaused(body.paused);
    return reply(200, queueOf(gateway));
  },

  reconcile: async ({ body }, reply) => {
    const { adopted, discarded, epoch } = await gateway.control.reconcile(body.action);
    return reply(200, {
      status: 'ok',
      action: 'reconcile',
      adopted,
      discarded,
      managed_agent_instance_epoch: epoch,
    });
  },
});

function queueOf({ queue, reader, events: { watch } }: Pick<Gateway, 'events' | 'queue' | 'reader'>) {
  const next_request_id = nextRequestId(reader, watch);
  // The fault is read last: the read above may have found it.
  const { fault } = watch;
  return {
    schema_version: 1 as const,
    paused: queue.paused,
    queue_depth: queue.depth,
    next_request_id,
    fault: fault && { code: fault.code, detail: fault.detail },
  };
}

/** Returns null also while the queue cannot be read; the answer's `fault` says so. */
function nextRequestId(reader: Gateway['reader'], watch: Gateway['events']['watch']): string | null {
  if (watch.fault) return null;
  try {
    return reader.nextRequestId();
  } catch (error) {
    if (!isWholeDatabase(error)) throw error;
    return null;
  }
}

/** Returns the headers of a prompt that is answered as not sent: its turn, and whether its outcome is unknown. */
const whatBecame = ({ begunAs, outcomeUnknown }: Pick<ControlRefusal, 'begunAs' | 'outcomeUnknown'>) => ({
  ...(begunAs !== undefined && { 'X-Houmao-Turn-Id': begunAs }),
  ...(outcomeUnknown && { 'X-Houmao-Done': 'unknown' as const }),
});

type PromptControl = components['schemas']['PromptControl'];
type ErrorCode = components['schemas']['PromptRefusal']['error_code'];

/** The HTTP status of each refusal. */
const statusOf = {
  unsupported_backend: 501,
  blocked_reconciliation: 409,
  unavailable: 503,
  invalid_chat_session: 422,
  invalid_execution: 422,
  not_ready: 409,
  missing_current_chat_session: 409,
  dispatch_failed: 422,
} as const satisfies Record<ErrorCode, number>;

async function send(
  gateway: Pick<Gateway, 'manifest' | 'prompts' | 'target'>,
  body: PromptControl,
  key: string | null,
  metadata: PromptMetadata | null,
): Promise<Exclude<ControlAnswer, ControlRefusal> | (Omit<ControlRefusal, 'code'> & { code: ErrorCode })> {
  if (gateway.target.capabilities.prompts === 'unbuilt')
    return {
      code: 'unsupported_backend',
      detail: `Agents of backend ${gateway.manifest.backend} accept no prompts from this release.`,
    };
  const prompt = {
    prompt: body.prompt,
    chatSession: body.chat_session ?? null,
    execution: body.execution ?? null,
    force: body.force,
  };
  return gateway.prompts.send(prompt, key, metadata);
}
