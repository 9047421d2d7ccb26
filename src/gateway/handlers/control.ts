import type { ControlHandlers } from '../../../generated/gateway/server/control-handlers.js';
import { type PromptRefusal, statusOf } from '../control/direct-prompt.js';
import type { Gateway } from '../gateway.js';
import { notImplementedText } from '../not-implemented.js';
import { isWholeDatabase } from '../storage/storage-fault.js';

export const controlHandlers = (gateway: Gateway): ControlHandlers => ({
  controlPrompt: async ({ body }, reply) => {
    const sent = await send(gateway, body);
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
        { 'X-Houmao-Turn-Id': sent.turnId, Location: `/v1/turns/${sent.turnId}` },
      );
    }
    return reply(statusOf[sent.code], {
      detail: {
        status: 'error',
        action: 'submit_prompt',
        sent: false,
        forced: body.force,
        error_code: sent.code,
        detail: sent.detail,
      },
    });
  },

  sendKeys: async (_context, reply) => {
    const { request_admission } = await gateway.board.current();
    if (request_admission === 'blocked_reconciliation') {
      return reply(409, {
        detail: 'The agent was replaced; settle its queued work with POST /v1/control/reconcile first.',
      });
    }
    if (gateway.kind === 'local_terminal') return reply(501, { detail: notImplementedText('sendKeys') });
    if (request_admission !== 'open') return reply(503, { detail: 'The managed agent is unavailable.' });
    return reply(422, {
      detail: `Raw keys are unsupported for backend ${gateway.manifest.backend}: it has no terminal of its own.`,
    });
  },

  getQueue: (_context, reply) => reply(200, queueOf(gateway)),

  updateQueue: async ({ body }, reply) => {
    await gateway.requests.setPaused(body.paused);
    return reply(200, queueOf(gateway));
  },

  reconcile: async ({ body }, reply) => {
    const { adopted, discarded, epoch } = await gateway.requests.reconcile(body.action);
    return reply(200, {
      status: 'ok',
      action: 'reconcile',
      adopted,
      discarded,
      managed_agent_instance_epoch: epoch,
    });
  },
});

function queueOf(gateway: Gateway) {
  const { memory } = gateway.journal;
  const next_request_id = nextRequestId(gateway);
  // Asked for last: reading may have shown what is wrong.
  const { fault } = gateway.storage;
  return {
    schema_version: 1 as const,
    paused: memory.paused,
    queue_depth: memory.depth,
    next_request_id,
    fault: fault && { code: fault.code, detail: fault.detail },
  };
}

/** Null also while the queue cannot be read: the answer tells of that beside it. */
function nextRequestId({ journal: { requests }, storage }: Gateway): string | null {
  if (storage.fault) return null;
  try {
    return requests.oldestAccepted(0, 1)[0]?.request_id ?? null;
  } catch (error) {
    if (!isWholeDatabase(error)) throw error;
    return null;
  }
}

async function send(
  gateway: Gateway,
  body: Parameters<Gateway['prompts']['send']>[0],
): Promise<{ turnId: string } | PromptRefusal> {
  if (gateway.kind === 'local_terminal' || gateway.kind === 'unsupported')
    return { code: 'unsupported_backend', detail: notImplementedText('controlPrompt') };
  return gateway.prompts.send(body);
}
