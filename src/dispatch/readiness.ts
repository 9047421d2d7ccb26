import type { AgentInspection, AgentTarget } from '../agent/target/agent-target.js';
import type { AgentTerminal } from '../agent/target/agent-terminal.js';
import type { Clock } from '../foundation/clock.js';
import { countedWith } from '../foundation/text.js';
import type { StorageWatch } from '../storage/storage-watch.js';
import type { ExecutionSlot, SlotHolder } from '../turn/live-turn.js';

/** Everything that decides whether a prompt may go to the agent now. */
export interface Axes {
  /** The reason why the queue cannot be stored, in a sentence; null when it can. */
  storageFault: string | null;
  agent: AgentInspection;
  /** The agent was replaced, and work for the earlier one is not settled. */
  needsReconciliation: boolean;
  /** The number of the agent's instance, counted from 1. */
  epoch: number;
  /** The queue was paused by an operator. */
  paused: boolean;
  /** The turn that runs. */
  holder: SlotHolder | null;
  /** Whether the slot can be taken: nothing runs, and no forced prompt has reserved it. */
  slotFree: boolean;
  /** The number of requests accepted or running. */
  queueDepth: number;
}

/** The reasons that may keep a prompt back, in the order of precedence. */
export type ObstacleCode =
  /** The queue cannot be stored, the agent cannot be reached, or it takes no prompts. */
  | 'unavailable'
  | 'reconciliation'
  | 'paused'
  /** A turn runs. */
  | 'busy'
  /** Other requests wait or run. */
  | 'queued'
  /** The surface of the agent takes no prompt now. */
  | 'not_ready';

export interface Obstacle {
  code: ObstacleCode;
  /** One sentence for people. */
  detail: string;
}

export const replaced =
  'The agent was replaced; settle its queued work with POST /v1/control/reconcile first.';

/** The obstacles that count for each way in. */
const matters = {
  /** Taking a request into the queue. */
  accept: ['unavailable', 'reconciliation'],
  /** Starting the head of the queue. */
  queue: ['unavailable', 'reconciliation', 'paused', 'busy', 'not_ready'],
  /** A direct prompt: now or not at all. */
  direct: ['unavailable', 'reconciliation', 'busy', 'queued', 'not_ready'],
  /** A forced direct prompt, which may end the running turn. */
  forced: ['unavailable', 'reconciliation'],
  reminder: ['unavailable', 'reconciliation', 'busy', 'queued', 'not_ready'],
  /** A notice of mail, which goes through the queue: a paused one would only keep it. */
  notifier: ['unavailable', 'reconciliation', 'paused', 'busy', 'queued', 'not_ready'],
  /** Whether the agent itself would take a prompt, whatever waits in the queue. */
  agent: ['unavailable', 'reconciliation', 'busy', 'not_ready'],
} as const satisfies Record<string, readonly ObstacleCode[]>;
export type WayIn = keyof typeof matters;

/** Returns the first obstacle that counts for this way in; null when a prompt may go now. */
export const obstacleFor = (way: WayIn, axes: Axes): Obstacle | null =>
  obstacles(axes).find(({ code }) => (matters[way] as readonly ObstacleCode[]).includes(code)) ?? null;

/**
 * Returns why no raw keys may be typed now; null when they may. Raw keys exist to dismiss what keeps prompts back, so
 * they only need an agent that can be reached and was not replaced, with the tool running in its terminal
 * (docs/decisions.md#key-sequences).
 */
export function keysObstacle(
  axes: Axes,
  terminal: Pick<AgentTerminal, 'names' | 'state'> | null,
): Obstacle | null {
  const [outOfReach] = reachObstacles(axes);
  if (outOfReach) return outOfReach;
  if (!terminal || !toolHasEnded(terminal)) return null;
  const { tool, attachCommand } = terminal.names;
  return {
    code: 'unavailable',
    detail: `The tool has ended in its terminal, and a shell that is left would run the keys. Start ${tool} there again: ${attachCommand}`,
  };
}

/**
 * Decides whether the tool has ended, so that another program, such as the shell that started it, reads the keys of this
 * terminal.
 */
export const toolHasEnded = ({ state }: Pick<AgentTerminal, 'state'>): boolean =>
  state.diagnostics.availability === 'tui_down';

/**
 * Explains why an interrupt that is aimed at a turn stops nothing.
 * @param running the turn that runs; null for none
 */
export const notAtTurn = (aimedAt: string, running: string | null): string =>
  `Turn ${aimedAt} does not run; ${running === null ? 'none runs' : `${running} runs`} now. Nothing was interrupted.`;

function reachObstacles(axes: Axes): Obstacle[] {
  const unavailable = unavailableDetail(axes);
  return [
    // While the agent cannot be reached, it is unknown whether it was replaced.
    ...(unavailable === null ? [] : [{ code: 'unavailable' as const, detail: unavailable }]),
    ...(axes.needsReconciliation ? [{ code: 'reconciliation' as const, detail: replaced }] : []),
  ];
}

/** Returns all obstacles, in the order of precedence. */
export function obstacles(axes: Axes): Obstacle[] {
  const { agent, holder } = axes;
  const found: (Obstacle | null)[] = [
    ...reachObstacles(axes),
    agent.acceptsPrompts ? null : { code: 'unavailable', detail: 'The managed agent is unavailable.' },
    axes.paused ? { code: 'paused', detail: 'The queue is paused; PUT /v1/control/queue resumes it.' } : null,
    holder
      ? { code: 'busy', detail: busyDetail(holder, agent) }
      : axes.slotFree
        ? null
        : { code: 'busy', detail: 'Another forced prompt is being dispatched.' },
    axes.queueDepth > 0 ? { code: 'queued', detail: behind(axes.queueDepth) } : null,
    notReadyDetail(agent),
  ];
  return found.filter((obstacle) => obstacle !== null);
}

/** Names the running turn. One that waits for a person does so until that person learns of it, so the sentence says that. */
function busyDetail({ turnId }: SlotHolder, { reasons }: AgentInspection): string {
  const blocked = reasons.find((reason) => reason.startsWith('blocked='));
  return blocked
    ? `Turn ${turnId} is running and waits for a person (${blocked}).`
    : `Turn ${turnId} is running.`;
}

function notReadyDetail({ surface, reasons }: AgentInspection): Obstacle | null {
  if (reasons.length > 0)
    return { code: 'not_ready', detail: `The TUI is not submit-ready (${reasons.join(', ')}).` };
  return surface === 'not_ready' ? { code: 'not_ready', detail: 'The agent takes no prompt now.' } : null;
}

/** Returns the sentence for a request behind `count` others. */
export const behind = (count: number): string => `${countedWith(count, 'request', ['comes', 'come'])} first.`;

/** Returns why nothing at all is accepted: a storage fault, or an agent that cannot be reached. Null when neither is so. */
function unavailableDetail({ storageFault, agent }: Axes): string | null {
  if (storageFault !== null) return storageFault;
  if (agent.connected) return null;
  return agentUnavailable(agent.detail);
}

export const agentUnavailable = (detail: string | null): string =>
  `The managed agent is unavailable. ${detail ?? ''}`.trim();

/** The obstacles of the queue that do not pass by themselves: while one stands, nothing of the queue begins. */
const lasting: ReadonlySet<string> = new Set(['unavailable', 'reconciliation', 'paused']);

/** Decides whether a request waits for something that does not pass by itself. @param code of an obstacle, or of a request's waiting reason. */
export const isHeldBack = (reason: { readonly code: string } | null): boolean =>
  reason !== null && lasting.has(reason.code);

/** Returns whether new requests are accepted and, if not, why. */
export function admissionOf(axes: Axes): 'open' | 'blocked_unavailable' | 'blocked_reconciliation' {
  const obstacle = obstacleFor('accept', axes);
  if (obstacle === null) return 'open';
  return obstacle.code === 'reconciliation' ? 'blocked_reconciliation' : 'blocked_unavailable';
}

export const activityOf = ({ holder }: Axes): 'running' | 'idle' => (holder ? 'running' : 'idle');

/** All axes, in the order in which they are reported. */
export const allAxes = [
  'request_admission',
  'terminal_surface_eligibility',
  'active_execution',
  'queue_depth',
] as const;

/** Renders the axes as events and refusals print them: `active_execution='running', queue_depth=2`. */
export function axesInWords(axes: Axes, names: readonly AxisName[]): string {
  const values: Readonly<Record<AxisName, string>> = {
    request_admission: `'${admissionOf(axes)}'`,
    terminal_surface_eligibility: `'${axes.agent.surface}'`,
    active_execution: `'${activityOf(axes)}'`,
    queue_depth: String(axes.queueDepth),
  };
  return names.map((name) => `${name}=${values[name]}`).join(', ');
}
export type AxisName = (typeof allAxes)[number];

/** A source of the axes of one session. */
export interface AxesSource {
  /** Returns the axes as they are known now, without any I/O. */
  now(): Axes;
  /** Returns the axes after an observation of the agent that is at most one second old. */
  current(): Promise<Axes>;
  /** Returns the axes after a fresh observation of the agent. */
  observe(): Promise<Axes>;
}

/** The axes that only the owner of a session knows. */
export type OwnAxes = Pick<Axes, 'needsReconciliation' | 'epoch' | 'paused' | 'queueDepth'>;

interface WatchedParts {
  target: Pick<AgentTarget, 'inspect'>;
  slot: Pick<ExecutionSlot, 'holder' | 'free'>;
  storage: Pick<StorageWatch, 'fault' | 'look'>;
  clock: Clock;
  own: () => OwnAxes;
  /** Called after each inspection, before those continue that wait for it. */
  inspected: (seen: AgentInspection) => Promise<void>;
}

/** The maximum age of an inspection for status and admission; before a prompt is handed over there is a new one. */
const probeAgeMilliseconds = 1000;

const neverInspected: AgentInspection = {
  connected: false,
  instanceId: null,
  surface: 'unknown',
  reasons: [],
  acceptsPrompts: false,
  detail: 'The agent has not been checked yet.',
};

/**
 * The axes of one session, gathered from their owners without I/O, and its agent as it was last inspected. The inspection is
 * the only slow part, so it is shared and cached here.
 */
export class WatchedAxes implements AxesSource {
  readonly #parts: WatchedParts;
  #inspection = neverInspected;
  #inspectedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;

  constructor(parts: WatchedParts) {
    this.#parts = parts;
  }

  now(): Axes {
    const { slot, storage, own } = this.#parts;
    return {
      ...own(),
      storageFault: storage.fault?.detail ?? null,
      agent: this.#inspection,
      holder: slot.holder,
      slotFree: slot.free,
    };
  }

  async current(): Promise<Axes> {
    const isStale = this.#parts.clock.monotonic() - this.#inspectedAt >= probeAgeMilliseconds;
    return isStale ? this.observe() : this.now();
  }

  /** Inspects the agent again, or joins a running inspection. */
  async observe(): Promise<Axes> {
    this.#parts.storage.look();
    this.#running ??= this.#inspect().finally(() => {
      this.#running = null;
    });
    await this.#running;
    return this.now();
  }

  async #inspect(): Promise<void> {
    const { target, clock, inspected } = this.#parts;
    this.#inspection = await target.inspect();
    this.#inspectedAt = clock.monotonic();
    await inspected(this.#inspection);
  }
}
