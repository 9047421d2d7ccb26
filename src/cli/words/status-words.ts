import type { Schemas } from '@houmao/sdk';
import { askedOfPerson } from '../../contract/agent-standing.js';
import { counted, wordsIn } from '../../foundation/text.js';
import { byteWords } from '../../session/keeping.js';
import type { TimeWords } from './local-time.js';
import { doctorWords, obstacleWords, reasonWords } from './obstacle-words.js';
import { table } from './terminal-output.js';

/** All data that `agents gateway status` shows. */
export interface StatusView {
  axes: Schemas['GatewayStatus'];
  /** Null for a gateway of the older implementation, which does not report its queue. */
  queue: Schemas['QueueState'] | null;
  /** Null for a gateway that does not tell it. */
  about: Schemas['GatewayAbout'] | null;
  /** The running turn, whatever its origin; null when none runs. */
  turn: Schemas['TurnRecord'] | null;
  /** The request that runs next; null when none waits. */
  next: Schemas['RequestRecord'] | null;
  /** The state of its terminal; null for an agent without one. */
  terminal: Schemas['TerminalState'] | null;
  name: string;
  /** The flag that leads to the same server, with a blank before it; empty when none is needed. */
  server: string;
}

/** Describes how long requests and logs stay. */
const keptWords = ({ retain_days, log_bytes, log_days, log_files }: Schemas['GatewayKeeping']): string =>
  `finished requests ${retain_days === null ? 'for ever' : `for ${counted(retain_days, 'day')}`}; logs in files of ${byteWords(log_bytes)} or ${counted(log_days, 'day')}, and ${counted(log_files, 'older file')}`;

const shortPreview = 60;

/** Describes an agent and its queue in plain words: first the most important fact, then one line per axis, then the queue. */
export function statusLines(view: StatusView, time: TimeWords): string[] {
  const { axes } = view;
  return [
    headline(view),
    '',
    ...table([
      ['agent', agentWords(axes)],
      ['new prompts', admissionWords(axes)],
      ['surface', surfaceWords(axes)],
      ['turn', turnWords(view, time)],
      ['queue', queueWords(view)],
      ...(view.next ? [['next', nextWords(view.next, view)]] : []),
      ...(view.about ? [['kept', keptWords(view.about.keeping)]] : []),
    ]).map((line) => `  ${line}`),
  ];
}

/** Returns the sentence that tells an operator what to know and do. */
function headline({ axes, queue, name, server, next, terminal }: StatusView): string {
  const doctor = doctorWords(name, server);
  if (queue?.fault) return `${queue.fault.detail} See what to do: ${doctor}`;
  if (axes.request_admission === 'blocked_reconciliation')
    return `the agent was replaced; decide what becomes of the waiting requests: houmao-mgr agents gateway reconcile ${name} --adopt${server} (or --discard)`;
  if (axes.managed_agent_connectivity !== 'connected')
    return `the agent cannot be reached; ${doctor} says why`;
  if (queue?.paused)
    return `the queue is paused; resume it: houmao-mgr agents gateway resume ${name}${server}`;
  if (terminal && askedOfPerson(terminal) !== null) return obstacleWords(terminal, name, server);
  if (axes.active_execution === 'running') return 'a turn is running';
  if (takesNone(axes)) return 'its terminal is watched only: this gateway sends it no prompts';
  if (terminal && axes.terminal_surface_eligibility !== 'ready') return obstacleWords(terminal, name, server);
  if (axes.terminal_surface_eligibility === 'not_ready') return 'the agent is busy with something else';
  return next ? 'the next prompt is about to run' : 'ready for prompts';
}

function agentWords(axes: Schemas['GatewayStatus']): string {
  const instance = `instance ${axes.managed_agent_instance_id ?? 'not known'}, epoch ${axes.managed_agent_instance_epoch}`;
  return axes.managed_agent_connectivity === 'connected'
    ? `connected (${instance})`
    : `not connected (last ${instance})`;
}

/** Returns whether an agent is connected and still no prompt is accepted: an agent of this kind never takes one. */
const takesNone = (axes: Schemas['GatewayStatus']): boolean =>
  axes.managed_agent_connectivity === 'connected' && axes.request_admission === 'blocked_unavailable';

const admissionWords = (axes: Schemas['GatewayStatus']): string =>
  wordsIn(
    {
      open: 'accepted',
      blocked_unavailable: takesNone(axes) ? 'refused' : 'refused until the agent can be reached',
      blocked_reconciliation: 'refused until the waiting requests are adopted or discarded',
    },
    axes.request_admission,
  );

/** Describes the surface. A headless agent has none, and counts as ready even while it works. */
function surfaceWords(axes: Schemas['GatewayStatus']): string {
  if (axes.active_execution === 'running' && axes.terminal_surface_eligibility === 'ready')
    return 'takes the next prompt after this turn';
  return wordsIn(
    { ready: 'ready for a prompt', not_ready: 'takes no prompt now', unknown: 'not known' },
    axes.terminal_surface_eligibility,
  );
}

function turnWords({ axes, turn }: StatusView, time: TimeWords): string {
  if (!turn) return axes.active_execution === 'running' ? 'running' : 'none';
  const { turn_id, origin, delivery, started_at_utc } = turn;
  return `${turn_id} ${origin === 'direct' ? 'prompted directly' : `from the ${origin}`}, ${delivery.state.replace('_', ' ')}, since ${time(started_at_utc)}`;
}

function queueWords({ axes, queue }: StatusView): string {
  const depth = axes.queue_depth === 0 ? 'empty' : `${axes.queue_depth} not finished`;
  const paused = queue?.paused ? `${depth}, paused` : depth;
  return queue?.fault ? `${paused}, cannot be stored` : paused;
}

function nextWords(
  { request_id, waiting_reason, prompt_preview, request_kind }: Schemas['RequestRecord'],
  { name, server }: StatusView,
): string {
  const preview = (prompt_preview ?? request_kind).replace(/\s+/g, ' ');
  const text = preview.length > shortPreview ? `${preview.slice(0, shortPreview)}…` : preview;
  return `${request_id} (${text}): ${waiting_reason ? reasonWords(waiting_reason, name, server) : 'about to run'}`;
}
