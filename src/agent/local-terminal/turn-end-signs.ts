import { noSigns, type TurnSigns } from '../../run/turn-signs.js';
import type { TurnEnded } from '../../tools/self-report/self-report.js';
import type { Delivery } from './deliver-prompt.js';
import type { Removal } from './stranded-prompt.js';
import { wordSigns } from './turn-ending.js';

// What is known of a turn that ends without the agent's word or its screen, which turn-ending.ts is for: its prompt was not
// delivered, or it was stopped, or another gateway had begun it.

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
