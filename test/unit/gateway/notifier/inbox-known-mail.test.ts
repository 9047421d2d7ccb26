import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isNewTo,
  type KnownMail,
  knownMailOf,
  noticeEnded,
  noticeQueued,
  withoutGone,
} from '../../../../src/gateway/notifier/inbox.js';

const headings = (keys: Iterable<string>): { key: string }[] => [...keys].map((key) => ({ key }));

type Step = 'arrives' | 'leaves' | 'look' | 'interval' | 'delivered' | 'lost';
const steps = fc.array(
  fc.constantFrom<Step>('arrives', 'arrives', 'leaves', 'look', 'look', 'interval', 'delivered', 'lost'),
  { maxLength: 60 },
);

/** Plays a history as the notifier does: a look queues a prompt where none is under way and something is new. */
function play(history: readonly Step[], before: readonly string[]): { mail: KnownMail; inbox: Set<string> } {
  const inbox = new Set(before);
  let mail = knownMailOf('m', headings(inbox));
  /** How often a prompt that was delivered was sent for this mail as new. */
  const deliveredAsNew = new Map<string, number>();
  let asNew: string[] = [];
  let count = 0;
  for (const step of history) {
    count += 1;
    if (step === 'arrives') inbox.add(`new ${count}`);
    if (step === 'leaves') inbox.delete([...inbox][0] ?? '');
    if (step === 'interval') mail = withoutGone(mail, headings(inbox));
    if (step === 'look' && mail.underWay === null) {
      asNew = [...inbox].filter((ref) => isNewTo(mail, ref));
      if (asNew.length > 0) mail = noticeQueued(mail, `request ${count}`, headings(inbox));
      for (const ref of inbox) expect(isNewTo(mail, ref)).toBe(false);
    }
    if (step === 'delivered' && mail.underWay !== null) {
      for (const ref of asNew) deliveredAsNew.set(ref, (deliveredAsNew.get(ref) ?? 0) + 1);
      mail = noticeEnded(mail, { reached: true });
    }
    if (step === 'lost' && mail.underWay !== null) mail = noticeEnded(mail, { reached: false });
  }
  for (const ref of before) expect(deliveredAsNew.get(ref)).toBe(undefined);
  for (const times of deliveredAsNew.values()) expect(times).toBe(1);
  // Mail without a delivered notice stays new, however often its prompt was lost.
  for (const ref of inbox)
    if (mail.underWay === null)
      expect(isNewTo(mail, ref)).toBe(!before.includes(ref) && !deliveredAsNew.has(ref));
  return { mail, inbox };
}

test('each message is reported as new by one delivered prompt at most, and until then it stays new', () => {
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
      const { mail, inbox } = play([...history, 'interval'], ['a']);
      for (const ref of mail.known) expect(inbox.has(ref)).toBe(true);
    }),
  );
});
