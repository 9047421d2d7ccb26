import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReadText } from '../../../src/terminal/read-text.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** A pane of which tmux tells only the second of the last write, and a reader that looks now and then. */
test('a reader that gets only seconds never goes on with a text that is not on the screen any more', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.integer({ min: 1, max: 1500 }) }),
    fc.record({ kind: fc.constant('write' as const), during: fc.boolean() }),
    fc.record({ kind: fc.constant('look' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new VirtualClock('2026-11-24T00:00:00.5Z');
      const text = new ReadText(clock);
      const second = (): number => Math.floor(clock.now().getTime() / 1000);
      let writes = 0;
      let writtenAt = second();
      let duringNext = false;
      const write = (): void => {
        writes += 1;
        writtenAt = second();
      };
      for (const one of steps) {
        if (one.kind === 'wait') clock.pass(one.milliseconds);
        else if (one.kind === 'write' && one.during) duringNext = true;
        else if (one.kind === 'write') write();
        else {
          const at = text.now();
          const pane = listed(writtenAt);
          const shown = writes;
          const read = await text.read(pane, {
            at,
            hears: false,
            capture: async () => {
              const seen = String(writes);
              if (duringNext) write();
              duringNext = false;
              return seen;
            },
          });
          expect(read).toBe(String(shown));
        }
      }
    }),
  );
});

test('what was written long ago is not read again, for sixty looks', async () => {
  const text = new ReadText(new VirtualClock('2026-11-24T00:00:00.5Z'));
  let captures = 0;
  const capture = async () => {
    captures += 1;
    return 'same';
  };
  const at = text.now();
  for (let look = 0; look < 60; look += 1) await text.read(listed(at - 1), { at, hears: false, capture });
  expect(captures).toBe(1);
  await text.read(listed(at - 1), { at, hears: false, capture });
  expect(captures).toBe(2);
  await text.read(listed(at - 1, '%2'), { at, hears: false, capture });
  expect(captures).toBe(3);
});

test('a write that is heard of while it is read has it read again', async () => {
  const text = new ReadText(new VirtualClock('2026-11-24T00:00:00.5Z'));
  let captures = 0;
  const capture = async () => {
    captures += 1;
    if (captures === 1) text.forget();
    return 'read';
  };
  for (let look = 0; look < 5; look += 1) await text.read(listed(0), { at: 9, hears: true, capture });
  expect(captures).toBe(2);
  expect(text.isOf(listed(99))).toBe(true);
  text.forget();
  expect(text.isOf(listed(0))).toBe(false);
});

const listed = (writtenAt: number, paneId = '%1') => ({
  session: 's',
  sessionId: '$0',
  server: { pid: 1, startedAt: 1 },
  begunByUs: false,
  paneId,
  writtenAt,
  status: { dead: false, pid: 1, inMode: false, alternateScreen: false, title: '' },
});
