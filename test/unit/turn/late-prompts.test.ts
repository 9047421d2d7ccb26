import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentTerminal } from '../../../src/agent/target/agent-terminal.js';
import { toSecondStamp } from '../../../src/foundation/clock.js';
import { deferred } from '../../../src/foundation/concurrency.js';
import { noSigns } from '../../../src/run/running-turn.js';
import { LatePrompts } from '../../../src/turn/late-prompts.js';
import { writeTurnEnd } from '../../../src/turn/turn-end.js';
import { makeQueue, type TestQueue } from '../../support/test-queue.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let clock: VirtualClock;
let queue: TestQueue;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
});
afterEach(() => queue.close());

const turn = { origin: 'direct', request_id: null, tool: 'claude', model: null } as const;
const pasted = { paneId: '%1', text: 'too late', heardUntil: null };
const failed = { outcome: 'failed', error: { code: 'dispatch_failed', detail: 'x' } } as const;

/** A turn that ended, and that may have left its prompt in the composer. */
const ended = (turnId: string, stranded: boolean): Promise<void> =>
  queue.journal.write((atUtc) => {
    const started_at_utc = toSecondStamp(clock.now());
    queue.turnTable.insert({ ...turn, turn_id: turnId, started_at_utc });
    queue.turnTable.notePasted(turnId, pasted);
    const parts = { table: queue.turnTable, journal: queue.journal };
    writeTurnEnd(parts, atUtc, turnId, { ...noSigns, stranded, verdict: failed });
  });

function remover() {
  const asked: { text: string; age: number; over: (gone: boolean) => void }[] = [];
  const terminal = {
    removeLate: (text: string, age: number) => {
      const { promise, resolve } = deferred<boolean>();
      asked.push({ text, age, over: resolve });
      return promise;
    },
  } as unknown as AgentTerminal;
  const report = (fault: string): void => void queue.faults.push(fault);
  const late = new LatePrompts({ ...queue, table: queue.turnTable, clock, terminal, report });
  return { asked, late };
}

test('what a turn may have left is looked for once, until it cannot appear any more', async () => {
  await ended('left', true);
  await ended('clean', false);
  clock.pass(3000);
  const { asked, late } = remover();
  late.look();
  late.look();
  expect(asked).toMatchObject([{ text: 'too late', age: 3000 }]);
  expect(queue.turnTable.pasted('clean')).toBeNull();
  expect(queue.turnTable.pasted('left')).toEqual(pasted);
  asked[0]?.over(true);
  await queue.atRest();
  expect(queue.turnTable.pasted('left')).toBeNull();
});

test('what was not seen to the end is left to the next gateway', async () => {
  await ended('left', true);
  const { asked, late } = remover();
  late.look();
  asked[0]?.over(false);
  await queue.atRest();
  expect(queue.turnTable.pasted('left')).toEqual(pasted);
  expect(queue.faults).toEqual([]);
});
