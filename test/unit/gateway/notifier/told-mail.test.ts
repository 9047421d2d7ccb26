import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isNewTo,
  noticeEnded,
  noticeQueued,
  type ToldMail,
  toldOfAll,
  withoutGone,
} from '../../../../src/gateway/notifier/told-mail.js';

const headings = (keys: Iterable<string>): { key: string }[] => [...keys].map((key) => ({ key }));

type Step = 'arrives' | 'leaves' | 'look' | 'interval' | 'delivered' | 'lost';
const steps = fc.array(
  fc.constantFrom<Step>('arrives', 'arrives', 'leaves', 'look', 'look', 'interval', 'delivered', 'lost'),
  { maxLength: 60 },
);

/** Plays a history as the notifier does: a look queues a prompt where none is under way and something is new. */
function play(history: readonly Step[], before: readonly string[]): { told: ToldMail; inbox: Set<string> } {
  const inbox = new Set(before);
  let told = toldOfAll('m', headings(inbox));
  /** How often a prompt that was delivered was sent for this mail as new. */
  const deliveredAsNew = new Map<string, number>();
  let asNew: string[] = [];
  let count = 0;
  for (const step of history) {
    count += 1;
    if (step === 'arrives') inbox.add(`new ${count}`);
    if (step === 'leaves') inbox.delete([...inbox][0] ?? '');
    if (step === 'interval') told = withoutGone(told, headings(inbox));
    if (step === 'look' && told.underWay === null) {
      asNew = [...inbox].filter((ref) => isNewTo(told, ref));
      if (asNew.length > 0) told = noticeQueued(told, `request ${count}`, headings(inbox));
      for (const ref of inbox) expect(isNewTo(told, ref)).toBe(false);
    }
    if (step === 'delivered' && told.underWay !== null) {
      for (const ref of asNew) deliveredAsNew.set(ref, (deliveredAsNew.get(ref) ?? 0) + 1);
      told = noticeEnded(told, { told: true });
    }
    if (step === 'lost' && told.underWay !== null) told = noticeEnded(told, { told: false });
  }
  for (const ref of before) expect(deliveredAsNew.get(ref)).toBe(undefined);
  for (const times of deliveredAsNew.values()) expect(times).toBe(1);
  // What was not told of stays new, however often its prompt was lost.
  for (const ref of inbox)
    if (told.underWay === null)
      expect(isNewTo(told, ref)).toBe(!before.includes(ref) && !deliveredAsNew.has(ref));
  return { told, inbox };
}

test('each message is told of as new by one delivered prompt at most, and until then it stays new', () => {
  fc.assert(
    fc.property(steps, fc.uniqueArray(fc.constantFrom('a', 'b', 'c')), (history, before) => {
      play(history, before);
    }),
    { numRuns: 300 },
  );
});

test('what is remembered is no more than what is in the inbox, after a look at the end of an interval', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const { told, inbox } = play([...history, 'interval'], ['a']);
      for (const ref of told.known) expect(inbox.has(ref)).toBe(true);
    }),
  );
});
