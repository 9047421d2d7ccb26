import { existsSync } from 'node:fs';
import type { RequestsHandlers } from '../../../generated/managed-agent/server/requests-handlers.js';
import type { TurnsHandlers } from '../../../generated/managed-agent/server/turns-handlers.js';
import type { components } from '../../../generated/managed-agent/types.js';
import { aimedPrompt } from '../../contract/broken-rules.js';
import { fileText } from '../../contract/file-text.js';
import { labelledInterrupt, metadataOf } from '../../contract/prompt-metadata.js';
import { returncodeOf } from '../../run/agent-exit.js';
import type { CanonicalEvent } from '../../tools/adapter/tool-adapter.js';
import { toTurnRecord } from '../../turn/turn-table.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import { sentenceOf, statusOf } from '../inspection/session-turns.js';
import type { ManagedAgentServer } from '../server.js';
import {
  type InterruptResult,
  isRefused,
  namesOf,
  notHeadless,
  type TakenPrompt,
} from '../turns/submissions.js';
import type { FoundTurn } from '../turns/turn-reader.js';
import { agentOf, refuseTurn } from './refusals.js';

type Accepted = components['schemas']['AgentRequestAccepted'];

export const turnHandlers = (
  server: Pick<ManagedAgentServer, 'directory' | 'turnReader' | 'turns'>,
): RequestsHandlers & Omit<TurnsHandlers, 'getTurnStdout' | 'getTurnStderr'> => ({
  submitAgentRequest: async ({ path, body, headers }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const metadata = metadataOf(headers);
    if (body.request_kind === 'interrupt') {
      if (metadata !== null) return reply(422, labelledInterrupt);
      const key = headers['Idempotency-Key'] ?? null;
      const ifTurn = headers['X-Houmao-If-Turn'] ?? null;
      const interrupted = await server.turns.interrupt(agent, { headlessOnly: false, key, ifTurn });
      if (isRefused(interrupted)) return refuseTurn(reply, interrupted);
      const turnId = interrupted.met === 'work' ? interrupted.turnId : null;
      const { requestId } = namesOf(agent.trackedAgentId, { way: 'requests', key });
      return reply(200, interruptAccepted(agent, interrupted, requestId), {
        ...(turnId !== null && { 'X-Houmao-Turn-Id': turnId }),
        ...(interrupted.replayed && { 'Idempotency-Replayed': 'true' as const }),
      });
    }
    if (headers['X-Houmao-If-Turn'] !== undefined) return reply(422, aimedPrompt);
    const prompted = await server.turns.prompt(agent, {
      way: 'requests',
      prompt: body.prompt.trim(),
      key: headers['Idempotency-Key'] ?? null,
      chatSession: null,
      execution: body.execution ?? null,
      metadata,
    });
    if (isRefused(prompted)) return refuseTurn(reply, prompted);
    const { turnId, queuedAs, replayed } = prompted;
    return reply(200, promptAccepted(agent, prompted), {
      'X-Houmao-Turn-Id': turnId,
      Location: locationOf(agent, turnId),
      ...(queuedAs !== null && { 'X-Houmao-Request-Id': queuedAs }),
      ...(replayed && { 'Idempotency-Replayed': 'true' as const }),
    });
  },

  createTurn: async ({ path, body, headers }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const prompted = await server.turns.prompt(agent, {
      way: 'turns',
      prompt: body.prompt.trim(),
      key: headers['Idempotency-Key'] ?? null,
      chatSession: body.chat_session ?? null,
      execution: body.execution ?? null,
      metadata: metadataOf(headers),
    });
    if (isRefused(prompted)) return refuseTurn(reply, prompted);
    return reply(
      200,
      {
        success: true,
        tracked_agent_id: agent.trackedAgentId,
        turn_id: prompted.turnId,
        turn_index: prompted.turnIndex,
        status: 'active',
        detail: `Turn ${prompted.turnId} was accepted${placeOf(prompted)}.`,
      },
      {
        ...(prompted.queuedAs !== null && { 'X-Houmao-Request-Id': prompted.queuedAs }),
        ...(prompted.replayed && { 'Idempotency-Replayed': 'true' as const }),
      },
    );
  },

  getTurn: async ({ path, query, signal }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    if (agent.transport === 'tui') return refuseTurn(reply, notHeadless(path.agent_ref, 'turn'));
    const found = await server.turnReader.find(agent, path.turn_id, query.wait_seconds ?? 0, signal);
    return isRefused(found) ? refuseTurn(reply, found) : reply(200, toAgentTurn(agent.trackedAgentId, found));
  },

  getTurnRecord: async ({ path, query, signal }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const found = await server.turnReader.find(agent, path.turn_id, query.wait_seconds ?? 0, signal);
    return isRefused(found)
      ? refuseTurn(reply, found)
      : reply(200, toTurnRecord(found.row, found.artifacts, true));
  },

  streamTurn: async ({ path, query, headers, streams, signal }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const after = headers['Last-Event-ID'] ?? query.after;
    const wanted = { after, waitSeconds: query.wait_seconds ?? 0, streams, signal };
    const parts = await server.turnReader.parts(agent, path.turn_id, wanted);
    if (parts === 'read') return reply(204);
    return isRefused(parts) ? refuseTurn(reply, parts) : reply(200, parts);
  },

  getTurnEvents: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    if (agent.transport === 'tui') return refuseTurn(reply, notHeadless(path.agent_ref, 'turn'));
    const found = await server.turnReader.events(agent, path.turn_id);
    if (isRefused(found)) return refuseTurn(reply, found);
    return reply(200, {
      tracked_agent_id: agent.trackedAgentId,
      turn_id: path.turn_id,
      entries: found.events.map((event) => toTurnEvent(event, found.turnIndex)),
    });
  },

  interruptAgent: async ({ path, headers }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const interrupted = await server.turns.interrupt(agent, {
      headlessOnly: true,
      key: null,
      ifTurn: headers['X-Houmao-If-Turn'] ?? null,
    });
    return isRefused(interrupted)
      ? refuseTurn(reply, interrupted)
      : reply(200, interruptAction(agent, interrupted));
  },
});

const locationOf = ({ trackedAgentId }: ManagedAgent, turnId: string): string =>
  `/houmao/agents/${encodeURIComponent(trackedAgentId)}/turns/${turnId}/record`;

/** Names the gateway's request for a prompt. Whether the prompt already runs there, or waits, is shown by the turn. */
const placeOf = ({ queuedAs }: TakenPrompt): string =>
  queuedAs === null ? '' : `; the gateway of the agent has its prompt as request ${queuedAs}`;

function promptAccepted(agent: ManagedAgent, taken: TakenPrompt): Accepted {
  const headless = agent.transport === 'headless';
  return {
    success: true,
    tracked_agent_id: agent.trackedAgentId,
    request_id: taken.requestId,
    request_kind: 'submit_prompt',
    disposition: 'accepted',
    detail:
      taken.queuedAs === null
        ? `The agent has the prompt as turn ${taken.turnId}.`
        : `The gateway of the agent has the prompt as request ${taken.queuedAs}.`,
    headless_turn_id: headless ? taken.turnId : null,
    headless_turn_index: headless ? taken.turnIndex : null,
  };
}

function interruptAccepted(
  agent: ManagedAgent,
  interrupted: Exclude<InterruptResult, { refused: unknown }>,
  requestId: string,
): Accepted {
  const headless = agent.transport === 'headless';
  const work = interrupted.met === 'work' ? interrupted : null;
  return {
    success: true,
    tracked_agent_id: agent.trackedAgentId,
    request_id: requestId,
    request_kind: 'interrupt',
    disposition: work ? 'accepted' : 'no_op',
    detail: interruptWords(interrupted),
    headless_turn_id: headless ? (work?.turnId ?? null) : null,
    headless_turn_index: headless ? (work?.turnIndex ?? null) : null,
  };
}

export const interruptAction = (
  { trackedAgentId }: ManagedAgent,
  interrupted: Exclude<InterruptResult, { refused: unknown }>,
): components['schemas']['AgentAction'] => ({
  success: true,
  tracked_agent_id: trackedAgentId,
  detail: interruptWords(interrupted),
  turn_id: interrupted.met === 'work' ? interrupted.turnId : null,
});

function interruptWords(interrupted: Exclude<InterruptResult, { refused: unknown }>): string {
  if (interrupted.met === 'nothing') return 'There is nothing to interrupt.';
  const work = interrupted.turnId === null ? 'The work of the agent' : `Turn ${interrupted.turnId}`;
  return interrupted.over ? `${work} was interrupted.` : `${work} was asked to stop, and has not ended yet.`;
}

type AgentTurn = components['schemas']['AgentTurn'];
type AgentTurnEvent = components['schemas']['AgentTurnEvent'];

/** Converts a turn to the form of `GET …/turns/{turn_id}`. The paths are given once nothing is written there any more. */
function toAgentTurn(trackedAgentId: string, { row, files }: FoundTurn): AgentTurn {
  const status = statusOf(row);
  const pathOf = (path: string): string | null => (status !== 'active' && existsSync(path) ? path : null);
  return {
    tracked_agent_id: trackedAgentId,
    turn_id: row.turn_id,
    turn_index: row.turn_index,
    status,
    started_at_utc: row.started_at_utc,
    completed_at_utc: row.ended_at_utc,
    returncode: returncodeOf(row.exit_code, row.signal),
    completion_source: null,
    stdout_path: pathOf(files.stdout),
    stderr_path: pathOf(files.stderr),
    status_path: pathOf(files.exitCode),
    history_summary: sentenceOf(row.turn_id, status, row.error_detail),
    error: row.error_detail,
  };
}

/** Converts an event of a turn. The tool counts turns in its own way, so the number is the record's. */
const toTurnEvent = (event: CanonicalEvent, turnIndex: number): AgentTurnEvent => ({
  kind: event.kind,
  message: event.message,
  turn_index: turnIndex,
  timestamp_utc: event.timestamp_utc,
  payload: {
    provider: event.provider,
    session_id: event.session_id,
    data: event.data,
    provider_event_type: event.provider_event_type,
    raw: event.raw_payload,
  },
});

type ArtifactHandlers = Pick<TurnsHandlers, 'getTurnStdout' | 'getTurnStderr'>;

export const turnArtifactHandlers = (
  server: Pick<ManagedAgentServer, 'directory' | 'turnReader'>,
): ArtifactHandlers => ({
  getTurnStdout: artifactHandler(server, 'stdout'),
  // Its answers have the same types as those of `getTurnStdout`.
  getTurnStderr: artifactHandler(server, 'stderr') as unknown as TurnsHandlers['getTurnStderr'],
});

function artifactHandler(
  server: Pick<ManagedAgentServer, 'directory' | 'turnReader'>,
  name: 'stdout' | 'stderr',
): TurnsHandlers['getTurnStdout'] {
  return async ({ path, headers, signal }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    if (agent.transport === 'tui') return refuseTurn(reply, notHeadless(path.agent_ref, 'turn'));
    const found = await server.turnReader.find(agent, path.turn_id, 0, signal);
    if (isRefused(found)) return refuseTurn(reply, found);
    const file = await fileText(found.files[name], headers.Range);
    switch (file.status) {
      case 200:
        return reply(200, file.text, file.headers);
      case 206:
        return reply(206, file.text, file.headers);
      case 416:
        return reply(416, { detail: file.detail }, file.headers);
    }
  };
}
