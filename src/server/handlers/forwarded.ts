import { operations as gatewayOperations } from '../../../generated/gateway/server/operations.js';
import type { GatewayControlHandlers } from '../../../generated/managed-agent/server/gateway-control-handlers.js';
import type { GatewayEventsHandlers } from '../../../generated/managed-agent/server/gateway-events-handlers.js';
import type { GatewayHeadlessHandlers } from '../../../generated/managed-agent/server/gateway-headless-handlers.js';
import type { GatewayMailNotifierHandlers } from '../../../generated/managed-agent/server/gateway-mail-notifier-handlers.js';
import type { GatewayRemindersHandlers } from '../../../generated/managed-agent/server/gateway-reminders-handlers.js';
import type { GatewayRequestsHandlers } from '../../../generated/managed-agent/server/gateway-requests-handlers.js';
import type { GatewayTuiHandlers } from '../../../generated/managed-agent/server/gateway-tui-handlers.js';
import type { GatewayTurnsHandlers } from '../../../generated/managed-agent/server/gateway-turns-handlers.js';
import { EventStream, quietSeconds, type ServerSentEvent } from '../../contract/event-stream.js';
import type { HandlerContext, Reply, Sent } from '../../contract/handler-types.js';
import { doneHeader, errorCodeHeader, mailboxCommand } from '../../contract/refusals.js';
import { streamedEvents } from '../../events/read-event.js';
import type { ExchangeFault } from '../../foundation/exchange-fault.js';
import { isRead, placeOf } from '../../turn/part-pages.js';
import { streamedParts } from '../../turn/turn-streams.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { ForwardResult } from '../forwarding/forwarder.js';
import {
  callLimit,
  type GatewayAnswer,
  type GatewayBody,
  type GatewayOperation,
  type GatewayQuestion,
} from '../forwarding/gateway-calls.js';
import { forwardedHeaders } from '../forwarding/managed-location.js';
import type { ManagedAgentServer } from '../server.js';
import { withCommands } from './fleet-commands.js';
import { agentOf } from './refusals.js';

/** The parts of the server that forward a call. */
export type Forwarding = Pick<ManagedAgentServer, 'directory' | 'forwarder'>;
/** Those that also give commands to the fleet. */
type ForwardingAndFleet = Forwarding & Pick<ManagedAgentServer, 'parts'>;

type ForwardedHandlers = GatewayControlHandlers &
  GatewayRequestsHandlers &
  GatewayTurnsHandlers &
  GatewayEventsHandlers &
  GatewayHeadlessHandlers &
  GatewayTuiHandlers &
  GatewayRemindersHandlers &
  GatewayMailNotifierHandlers;

/**
 * Handles everything below `/gateway` except its status, attach and detach. A body arrives with its defaults filled in,
 * which are the gateway's own; a field without a default stays left out (docs/decisions.md#passed-calls).
 */
export const forwardedHandlers = (server: ForwardingAndFleet): ForwardedHandlers => {
  const pass = forwardTo(server);
  const stream = streamFrom(server);
  return {
    controlGatewayPrompt: pass('controlPrompt'),
    sendGatewayKeys: pass('sendKeys'),
    reconcileGateway: pass('reconcile'),
    getGatewayAbout: pass('getAbout'),
    getGatewayQueue: pass('getQueue'),
    updateGatewayQueue: pass('updateQueue'),

    ...withCommands(server, {
      submitGatewayRequest: pass('submitRequest'),
      getGatewayRequest: pass('getRequest'),
      cancelGatewayRequest: pass('cancelRequest'),
    }),
    listGatewayRequests: pass('listRequests'),
    getGatewayTurn: pass('getTurn'),
    streamGatewayTurn: stream('streamTurn', partPages),
    listGatewayEvents: stream('listEvents', eventPages),
    getGatewayUsage: pass('getUsage'),

    getGatewayHeadlessState: pass('getHeadlessState'),
    setGatewayNextPromptSession: pass('setNextPromptSession'),
    getGatewayTuiState: pass('getTuiState'),
    getGatewayTuiScreen: pass('getTuiScreen'),
    getGatewayTuiHistory: pass('getTuiHistory'),
    noteGatewayPrompt: pass('notePrompt'),
    getGatewayDialog: pass('getDialog'),
    answerGatewayDialog: pass('answerDialog'),

    createGatewayReminders: pass('createReminders'),
    listGatewayReminders: pass('listReminders'),
    getGatewayReminder: pass('getReminder'),
    updateGatewayReminder: pass('updateReminder'),
    deleteGatewayReminder: pass('deleteReminder'),

    getGatewayMailNotifier: pass('getMailNotifier'),
    updateGatewayMailNotifier: pass('updateMailNotifier'),
    disableGatewayMailNotifier: pass('disableMailNotifier'),
  };
};

/** The common part of operations that are forwarded. Each of their shapes is that of the gateway's contract. */
interface ForwardedOperation {
  readonly responses: { readonly 404: unknown; readonly 409: unknown; readonly 503: unknown };
}
interface ForwardedContext {
  readonly path: Readonly<Record<string, string>> & { readonly agent_ref: string };
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}
/** Any answer of an operation: both documents refer to one definition of it, and a test compares them. */
type AnyReply<Op> = (status: number, body: unknown, headers?: Record<string, string>) => Sent<Op>;

/** The reason why a call for an agent is not forwarded: `code` for programs, `detail` for people. */
export interface ForwardObstacle<Code extends string = string> {
  readonly code: Code;
  readonly detail: string;
}
interface ForwardSettings<Id extends GatewayOperation> {
  /** Returns why calls for this agent are not forwarded, for a 503; null where they are. */
  readonly obstacle?: (agent: ManagedAgent, reference: string) => ForwardObstacle | null;
  /** Returns the body for the gateway, made from the caller's. */
  readonly toGateway?: (body: unknown) => unknown;
  /** Returns the body for the caller, made from the gateway's. */
  readonly toCaller?: (body: GatewayBody<Id>, asked: unknown) => unknown;
}

/** Makes a handler that forwards its operation to the gateway of the agent and returns the gateway's answer. */
export const forwardTo =
  (server: Forwarding) =>
  <Id extends GatewayOperation>(operation: Id, settings: ForwardSettings<Id> = {}) =>
  async <Op extends ForwardedOperation>(context: HandlerContext<Op>, reply: Reply<Op>): Promise<Sent<Op>> => {
    const given = context as unknown as ForwardedContext;
    const { agent_ref: reference } = given.path;
    const { agent, refusal } = await agentOf(server.directory, reference, reply);
    if (refusal) return refusal;
    const answer = reply as unknown as AnyReply<Op>;
    const obstacle = settings.obstacle?.(agent, reference) ?? null;
    if (obstacle !== null)
      return answer(503, { detail: obstacle.detail }, { [errorCodeHeader]: obstacle.code });
    const body = settings.toGateway ? settings.toGateway(given.body) : given.body;
    const question = { ...given, body, ...(waits(given) && { signal: context.signal }) };
    const result = await server.forwarder.forward(agent, operation, question);
    if (result.kind !== 'answered') return notForwarded(result, operation, question, answer);
    return forwardAnswer(result.answer, reference, answer, (said) =>
      settings.toCaller ? settings.toCaller(said, given.body) : said,
    );
  };

/** How the pages of an operation become a stream. */
interface StreamedPages<Page> {
  readonly eventsOf: (page: Page) => readonly ServerSentEvent[];
  /** The place behind a page, for `after`. */
  readonly placeBehind: (page: Page) => string | number;
  /** Whether nothing comes behind a place. */
  readonly isEnd: (place: unknown) => boolean;
}

/**
 * Makes a handler that forwards an operation page by page, and sends the pages as a stream where the caller wants one. The first page
 * shows whether there is a stream; behind the end of what is streamed there is none.
 */
const streamFrom =
  (server: Forwarding) =>
  <Id extends 'listEvents' | 'streamTurn'>(
    operation: Id,
    { eventsOf, placeBehind, isEnd }: StreamedPages<GatewayBody<Id>>,
  ) =>
  async <Op extends ForwardedOperation>(context: HandlerContext<Op>, reply: Reply<Op>): Promise<Sent<Op>> => {
    if (!context.streams) return forwardTo(server)(operation)(context, reply);
    const { path, query, headers } = context as unknown as ForwardedContext;
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const answer = reply as unknown as AnyReply<Op>;
    const { signal } = context;
    const question = { path, headers: {}, body: undefined, query };
    const ask = (after: unknown, wait_seconds: number) =>
      server.forwarder.forward(agent, operation, { path, query: { ...query, after, wait_seconds }, signal });
    const after = headers['Last-Event-ID'] ?? query.after;
    const first = await ask(after, 0);
    if (first.kind !== 'answered') return notForwarded(first, operation, question, answer);
    if (first.answer.kind !== 'done')
      return forwardAnswer(first.answer, path.agent_ref, answer, (body) => body);
    if (isEnd(after)) return answer(204, undefined);
    const next = async (before: GatewayBody<Id>): Promise<GatewayBody<Id> | null> => {
      const place = placeBehind(before);
      const more = isEnd(place) ? null : await ask(place, quietSeconds);
      return more?.kind === 'answered' && more.answer.kind === 'done' ? more.answer.body : null;
    };
    return answer(200, EventStream.of(first.answer.body, { next, eventsOf, signal }));
  };

/** A turn ends. */
const partPages: StreamedPages<GatewayBody<'streamTurn'>> = {
  eventsOf: streamedParts,
  placeBehind: ({ next_after }) => next_after,
  isEnd: (place) => isRead(placeOf(place === undefined ? undefined : String(place))),
};

/** Events go on for as long as their gateway. */
const eventPages: StreamedPages<GatewayBody<'listEvents'>> = {
  eventsOf: streamedEvents,
  placeBehind: ({ next_after }) => next_after,
  isEnd: () => false,
};

const waits = ({ query }: ForwardedContext): boolean => Number(query.wait_seconds ?? 0) > 0;

/**
 * The statuses with which a gateway refuses this server. Forwarded, they would mislead the caller, who may well have
 * access.
 */
const refusesServer: ReadonlySet<number> = new Set([401, 403, 421]);

/** Forwards the answer of the gateway with its status. Success is 200 on every route of this server. */
function forwardAnswer<Op, Body>(
  result: GatewayAnswer<Body>,
  reference: string,
  answer: AnyReply<Op>,
  toCaller: (body: Body) => unknown,
): Sent<Op> {
  const headers = forwardedHeaders(result.headers, reference);
  if (result.kind === 'done') return answer(200, toCaller(result.body), headers);
  const { status, detail } = result;
  if (refusesServer.has(status))
    return answer(
      503,
      { detail: `The gateway of agent \`${reference}\` refuses calls from this server.` },
      unreachable,
    );
  return answer(status, { detail }, headers);
}

const unreachable = { [errorCodeHeader]: 'gateway_unreachable' };

function notForwarded<Op>(
  result: Exclude<ForwardResult, { kind: 'answered' }>,
  operation: GatewayOperation,
  question: GatewayQuestion & ForwardedContext,
  answer: AnyReply<Op>,
): Sent<Op> {
  const { agent_ref: reference } = question.path;
  if (result.kind === 'no_session_root')
    return answer(422, { detail: noSessionRoot(reference) }, { [errorCodeHeader]: 'no_session_root' });
  if (result.kind === 'no_gateway') return answer(503, { detail: noLiveGateway(reference) }, unreachable);
  const call = {
    reference,
    reads: readsOnly(operation),
    keyed: question.headers['Idempotency-Key'] !== undefined,
    milliseconds: callLimit(operation, question.query),
  };
  const outcomeUnknown = result.fault.outcomeUnknown && !call.reads;
  const headers = { ...unreachable, ...(outcomeUnknown && { [doneHeader]: 'unknown' }) };
  return answer(503, { detail: faultWords(result.fault, call) }, headers);
}

/** The reads that have a body. */
const readsMail: ReadonlySet<GatewayOperation> = new Set<GatewayOperation>([
  'listMail',
  'peekMail',
  'fetchMailAttachment',
]);

const readsOnly = (operation: GatewayOperation): boolean =>
  gatewayOperations[operation].method === 'GET' || readsMail.has(operation);

/** A forwarded call, as far as the sentence about its failure needs it. */
interface ForwardedCall {
  /** The agent as the caller named it. */
  readonly reference: string;
  /** Whether it only reads: then nothing can have been done. */
  readonly reads: boolean;
  /** Whether the caller can repeat it under the same key, and nothing is done twice. */
  readonly keyed: boolean;
  readonly milliseconds: number;
}

export const noSessionRoot = (reference: string): string =>
  `Agent \`${reference}\` has no session root, so it can have no gateway.`;
export const noLiveGateway = (reference: string): string =>
  `Agent \`${reference}\` has no live gateway. POST /houmao/agents/${encodeURIComponent(reference)}/gateway/attach starts one.`;
export const noMailbox = (reference: string): string =>
  `Agent \`${reference}\` has no mailbox. Give it one: ${mailboxCommand(reference)}`;
export const manifestUnreadable = 'The session manifest cannot be read.';
export const mailboxUnreadable = 'The folder of the mailbox cannot be read.';

/** Describes what is known of a call that got no usable answer, and how to find out the rest. */
export function faultWords({ trouble, outcomeUnknown }: ExchangeFault, call: ForwardedCall): string {
  const { reference, reads, keyed, milliseconds } = call;
  if (!outcomeUnknown)
    return `The gateway of agent \`${reference}\` cannot be reached; nothing was sent to it.`;
  const what =
    trouble === 'silent'
      ? `The gateway of agent \`${reference}\` did not answer within ${milliseconds / 1000} s`
      : trouble === 'invalid_answer'
        ? `The gateway of agent \`${reference}\` gave an answer that cannot be used`
        : `The gateway of agent \`${reference}\` was lost before it answered`;
  if (reads) return `${what}.`;
  const unknown = `${what}; whether it did what was asked is not known.`;
  return keyed ? `${unknown} Repeat it with the same Idempotency-Key: it is done once.` : unknown;
}
