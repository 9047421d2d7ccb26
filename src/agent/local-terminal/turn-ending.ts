import { answerOf, noSigns, type TurnSigns, turnUsageOf } from '../../run/running-turn.js';
import type { EndedTurn } from '../../terminal/tracker/sight.js';
import type { AgentState, TurnEnded } from '../../tools/self-report/self-report.js';
import type { Delivery } from './deliver-prompt.js';
import type { Removal } from './stranded-prompt.js';

// A prompt that a terminal took is a turn until one of these ends is seen, the most reliable first:
//
//   following ──the agent reports how the turn ended, and is idle──▶ ended by its report
//             ──the tool, its pane or its session is gone──▶ failed
//             ──the agent took the prompt back──▶ interrupted
//             ──the screen shows the end, and both witnesses are ready──▶ ended by the screen
//             ──both are ready, for long, and nothing shows an end──▶ failed, the end is unknown; a command: completed

/** The known facts about a turn at one moment. */
export interface TurnView {
  /** Milliseconds of a monotonic clock. */
  at: number;
  /** Why the tool cannot continue, for people; null while it can. */
  lost: string | null;
  /** The agent's latest report on the end of the turn; null while there is none. */
  ended: TurnEnded | null;
  /** The agent took the prompt back: it is in its composer again. */
  dropped: boolean;
  said: AgentState | null;
  /** Hooks may still hold the prompt back: the agent only accepted it, and it is not on the screen. */
  held: boolean;
  /** The agent named the prompt in its conversation, so it will report the end. */
  named: boolean;
  /** The agent was seen at work after it took the prompt. */
  worked: boolean;
  /** The prompt is a command of the tool, such as `/help`: its output is not a turn, and no row reports its end. */
  command: boolean;
  screen: EndedTurn;
  /** The time from which on the next prompt could be typed, without interruption; null while it cannot. */
  readySince: number | null;
}

/** How much later than its screen the agent's report on the end of a turn may come. */
const reportMilliseconds = 2000;
/** A terminal that has been ready for this long has no turn any more. */
const enoughMilliseconds = 5000;
/** The time limit for an agent that has the prompt to begin: a long prompt keeps Gemini CLI from drawing for half a minute. */
const beginMilliseconds = 60_000;

/** Pure: returns how the turn ended; null while it runs. */
export function endingOf(view: TurnView): TurnSigns | null {
  const { ended, lost, screen, readySince, at } = view;
  const settled = ended !== null && (ended.settled || view.said === 'idle' || readySince !== null);
  if (ended !== null && (settled || lost !== null)) return endedByReport(ended);
  if (lost !== null)
    return reportedAs('failed', { code: 'agent_crashed', detail: `While the turn ran, ${lost}.` });
  if (view.dropped)
    return reportedAs('interrupted', {
      code: 'interrupted',
      detail: 'The agent put the prompt back into its composer.',
    });
  if (readySince === null) return null;
  const waited = at - readySince;
  if ((view.named || view.held) && !view.worked && waited < beginMilliseconds) return null;
  if (screen.result !== 'none' && (!view.named || waited >= reportMilliseconds))
    return endedByScreen(screen.result);
  if (waited < enoughMilliseconds) return null;
  return view.command
    ? { ...noSigns, completion: { successful: true, message: '' } }
    : reportedAs('failed', {
        code: 'no_result',
        detail: 'The terminal is ready again, and nothing shows how the turn ended.',
      });
}

/** Returns the signs that the agent's report on the end of a turn adds, however the turn ended. */
export const reportSigns = ({ answer, conversation, model, usage }: TurnEnded) => ({
  answer: answer === null ? null : answerOf(answer),
  sessionId: conversation,
  usage: turnUsageOf(model, usage, 'turn'),
});

function endedByReport(ended: TurnEnded): TurnSigns {
  const { outcome, error } = ended;
  const signs = { ...noSigns, ...reportSigns(ended) };
  if (outcome === 'completed') return { ...signs, completion: { successful: true, message: '' } };
  if (outcome === 'failed')
    return {
      ...signs,
      completion: { successful: false, message: error?.message ?? 'The agent reports that it failed.' },
    };
  return { ...reportedAs('interrupted', interruptedThere), ...reportSigns(ended) };
}

const interruptedThere = {
  code: 'interrupted',
  detail: 'The turn was interrupted in its terminal.',
} as const;

function endedByScreen(result: Exclude<EndedTurn['result'], 'none'>): TurnSigns {
  if (result === 'success') return { ...noSigns, completion: { successful: true, message: '' } };
  if (result === 'interrupted') return reportedAs('interrupted', interruptedThere);
  return reportedAs('failed', { code: 'agent_failed', detail: 'The screen of the agent shows an error.' });
}

const reportedAs = (
  outcome: 'failed' | 'interrupted',
  error: NonNullable<TurnSigns['reportedOutcome']>['error'],
): TurnSigns => ({ ...noSigns, reportedOutcome: { outcome, error } });

// Turns that end without the agent's report or its screen: the prompt was not delivered, or the turn was stopped, or another
// gateway had begun it.

export const notDelivered = (detail: string): TurnSigns => ({
  ...noSigns,
  startFault: { code: 'dispatch_failed', detail },
  notTaken: true,
});

export function undeliveredSigns(delivery: Exclude<Delivery, { outcome: 'confirmed' }>): TurnSigns {
  if (delivery.outcome === 'failed') {
    const left = delivery.stranded ? '; the pasted text may still be in the composer' : '';
    return {
      ...notDelivered(`The prompt was not delivered: ${delivery.detail}${left}.`),
      stranded: delivery.stranded,
    };
  }
  const detail = `It is not known whether the agent took the prompt: ${delivery.detail}.`;
  return {
    ...noSigns,
    reportedOutcome: { outcome: 'failed', error: { code: 'dispatch_failed', detail } },
    outcomeUnknown: delivery.detail,
    stranded: true,
  };
}

/**
 * Pure: returns the end of a prompt that another gateway was typing, and that is not in the agent's own rows.
 * @param echoed it is in the transcript. A late screen may show it in the composer after the agent has taken it, and how often it
 * was in the transcript before is unknown.
 */
export const recoveredSigns = (removal: Removal, echoed: boolean): TurnSigns =>
  removal === 'removed' && !echoed
    ? restarted('before Enter took effect; the prompt was in the composer and was removed again', 'not_taken')
    : restarted('between the paste and the sign that it was taken', 'unknown');

export function restarted(when: string, delivery: 'not_taken' | 'unknown'): TurnSigns {
  const error = {
    code: 'gateway_restarted',
    detail: `The gateway restarted ${when}; it is not replayed.`,
  } as const;
  return {
    ...noSigns,
    reportedOutcome: { outcome: 'failed', error },
    outcomeUnknown: delivery === 'unknown' ? error.detail : null,
    notTaken: delivery === 'not_taken',
    stranded: delivery === 'unknown',
  };
}

/**
 * Returns the end of a stopped turn. The verdict adds why it was stopped; the agent's report has as much of the answer as there
 * is.
 */
export const endedByStop = (ended: TurnEnded | null, putBack: boolean): TurnSigns => ({
  ...noSigns,
  stranded: putBack,
  completion: ended?.outcome === 'completed' ? { successful: true, message: '' } : null,
  ...(ended && reportSigns(ended)),
});
