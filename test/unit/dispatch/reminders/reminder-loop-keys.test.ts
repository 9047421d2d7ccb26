import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeTerminal } from '../../../support/terminal/fake-terminal.js';
import { makeQueue, type TestQueue } from '../../../support/test-queue.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let clock: VirtualClock;
let queue: TestQueue;
let terminal: FakeTerminal;
beforeEach(async () => {
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  queue = await makeQueue(clock);
  terminal = new FakeTerminal();
  queue.target.terminal = terminal;
  queue.reminderLoop.start();
});
afterEach(() => queue.close());

async function add(sequence: string): Promise<void> {
  const delivery = { kind: 'send_keys', sequence, ensureEnter: true } as const;
  const when = { ranking: 0, paused: false, intervalSeconds: null, due: { at: 0 } };
  await queue.reminders.create([{ title: 't', ...when, delivery }]);
  await queue.atRest();
}
async function pass(ms: number): Promise<void> {
  clock.pass(ms);
  await queue.atRest();
}
const events = () =>
  queue.store
    .prepare<[], { kind: string; data_json: string }>('SELECT * FROM events ORDER BY seq')
    .all()
    .map(({ kind, data_json }) => ({ kind, data: JSON.parse(data_json) }));
const kinds = () => events().map(({ kind }) => kind);

test('keys that did not all arrive have failed, and the failure says that some may have', async () => {
  terminal.lostAfter = 1;
  await add('touch x');
  expect(kinds()).toEqual(['reminder_registered', 'reminder_started', 'control_input', 'reminder_failed']);
  expect(events().at(-1)?.data.error_detail).toMatch(/terminal was lost/);
});

test('keys wait while a shell may be left of the tool, which is said, and are typed when it runs again', async () => {
  terminal.availability = 'tui_down';
  await add('touch x');
  expect([terminal.typed, kinds()]).toEqual([
    [],
    ['reminder_registered', 'reminder_deferred', 'reminder_deferral_told'],
  ]);
  expect(events()[1]?.data.detail).toBe(
    "request_admission='open', terminal_surface_eligibility='ready', active_execution='idle', queue_depth=0, diagnostics.availability='tui_down'",
  );
  terminal.availability = 'available';
  await pass(200);
  expect(terminal.typed).toEqual([{ text: 'touch x' }, { key: 'Enter' }]);
  expect(kinds().slice(-3)).toEqual(['reminder_started', 'control_input', 'reminder_completed']);
});

test('keys that were typed are reported so where the typing alone cannot be noted, which is reported', async () => {
  queue.refuse("INSERT ON events WHEN NEW.kind = 'control_input'");
  await add('touch x');
  expect(terminal.typed).toEqual([{ text: 'touch x' }, { key: 'Enter' }]);
  expect(kinds()).toEqual(['reminder_registered', 'reminder_started', 'reminder_completed']);
  expect(queue.faults).toEqual(['the keys of a reminder were not recorded: refused']);
});
