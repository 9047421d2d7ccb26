import { answerOf, noSigns, type TurnSigns, turnUsageOf } from '../../run/turn-signs.js';
import type { LastTurn } from '../../terminal/tracker/sight.js';
import type { AgentState, TurnEnded } from '../../tools/self-report/self-report.js';
import type { Delivery } from './deliver-prompt.js';
import type { Removal } from './stranded-prompt.js';

// A prompt that a terminal took is a turn until one of these is seen, the surest first:
//
//   following ──the agent says how the turn ended, and is idle──▶ ended by its word
//             ──the tool, its pane or its session is gone──▶ failed
//             ──the agent took the prompt back──▶ interrupted
//             ──the screen shows the end, and both witnesses are ready──▶ ended by the screen
//             ──both are ready, for long, and nothing shows an end──▶ not known; of a command, completed

/** What is known of a turn at one moment. */
export interface TurnView {
  /** Milliseconds of a monotonic clock. */
  at: number;
  /** Why the tool cannot go on, for people; null while it can. */
  lost: string | null;
  /** How the agent says that the turn ended, the latest word; null while it says nothing. */
  ended: TurnEnded | null;
  /** The agent took the prompt back: it stands in its composer again. */
  dropped: boolean;
  said: AgentState | null;
  /** Whether hooks may still hold the prompt back: the agent only accepted it, and nothing of it is on the screen. */
  held: boolean;
  /** Whether the agent named the prompt in its conversation: then its word on the end will come. */
  named: boolean;
  /** The agent was seen at work since it took the prompt. */
  worked: boolean;
  /** The prompt is a command of the tool's, such as `/help`: what it shows is no turn, and no row tells of its end. */
  command: boolean;
  screen: LastTurn;
  /** Since when a next prompt could be typed, without a break; null while it cannot. */
  readySince: number | null;
}

/** So much later than its screen the agent's word on the end of a turn may come. */
const wordMilliseconds = 2000;
/** A terminal that is ready for so long has no turn any more. */
const enoughMilliseconds = 5000;
/** Before that, an agent that has the prompt has to begin: a long one keeps Gemini CLI from drawing for half a minute. */
const beginMilliseconds = 60_000;

/** Pure: how the turn ended; null while it goes on. */
export function endingOf(view: TurnView): TurnSigns | null {
  const { ended, lost, screen, readySince, at } = view;
  const settled = ended !== null && (ended.settled || view.said === 'idle' || readySince !== null);
  if (ended !== null && (settled || lost !== null)) return byItsWord(ended);
  if (lost !== null) return told('failed', { code: 'agent_crashed', detail: `While the turn ran, ${lost}.` });
  if (view.dropped)
    return told('interrupted', {
      code: 'interrupted',
      detail: 'The agent put the prompt back into its composer.',
    });
  if (readySince === null) return null;
  const waited = at - readySince;
  if ((view.named || view.held) && !view.worked && waited < beginMilliseconds) return null;
  if (screen.result !== 'none' && (!view.named || waited >= wordMilliseconds))
    return byTheScreen(screen.result);
  if (waited < enoughMilliseconds) return null;
  return view.command
    ? { ...noSigns, completion: { successful: true, message: '' } }
    : told('failed', {
        code: 'no_result',
        detail: 'The terminal is ready again, and nothing shows how the turn ended.',
      });
}

/** What the agent's word on the end of a turn adds to what is known of it, however it ended. */
export const wordSigns = ({ answer, conversation, model, usage }: TurnEnded) => ({
  answer: answer === null ? null : answerOf(answer),
  sessionId: conversation,
  usage: turnUsageOf(model, usage, 'turn'),
});

function byItsWord(ended: TurnEnded): TurnSigns {
  const { outcome, error } = ended;
  const signs = { ...noSigns, ...wordSigns(ended) };
  if (outcome === 'completed') return { ...signs, completion: { successful: true, message: '' } };
  if (outcome === 'failed')
    return {
      ...signs,
      completion: { successful: false, message: error?.message ?? 'The agent reports that it failed.' },
    };
  return { ...told('interrupted', interruptedThere), ...wordSigns(ended) };
}

const interruptedThere = {
  code: 'interrupted',
  detail: 'The turn was interrupted in its terminal.',
} as const;

function byTheScreen(result: Exclude<LastTurn['result'], 'none'>): TurnSigns {
  if (result === 'success') return { ...noSigns, completion: { successful: true, message: '' } };
  if (result === 'interrupted') return told('interrupted', interruptedThere);
  return told('failed', { code: 'agent_failed', detail: 'The screen of the agent shows an error.' });
}

const told = (
  outcome: 'failed' | 'interrupted',
  error: NonNullable<TurnSigns['toldOutcome']>['error'],
): TurnSigns => ({ ...noSigns, toldOutcome: { outcome, error } });

// A turn that ends without the agent's word or its screen: its prompt was not delivered, or it was stopped, or another gateway had
// begun it.

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
    toldOutcome: { outcome: 'failed', error: { code: 'dispatch_failed', detail } },
    deliveryUnknown: delivery.detail,
    stranded: true,
  };
}

/**
 * Pure: of a prompt that another gateway was typing, and that the agent's own rows do not have.
 * @param echoed it stands in the transcript. A screen that is late may show it in the composer after the agent has taken it, and
 * how often it was in the transcript before is not known.
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
    toldOutcome: { outcome: 'failed', error },
    deliveryUnknown: delivery === 'unknown' ? error.detail : null,
    notTaken: delivery === 'not_taken',
    stranded: delivery === 'unknown',
  };
}

/** Why it was stopped is for the verdict; the agent's word has what there is of the answer. */
export const endedByStop = (ended: TurnEnded | null, putBack: boolean): TurnSigns => ({
  ...noSigns,
  stranded: putBack,
  completion: ended?.outcome === 'completed' ? { successful: true, message: '' } : null,
  ...(ended && wordSigns(ended)),
});
