import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordedPane } from '../../../src/session/manifest-facts.js';
import type { ListedPane } from '../../../src/terminal/pane-listing.js';
import { agentPaneIn, ownPaneIn } from '../../../src/terminal/pane-listing.js';

const here = { pid: 7, startedAt: 1 };
const elsewhere = { pid: 7, startedAt: 2 };
const pane = (number: number, more: Partial<ListedPane> = {}): ListedPane => ({
  session: 's',
  sessionId: '$1',
  server: here,
  paneId: `%${number}`,
  begunByUs: false,
  writtenAt: 0,
  status: { dead: false, pid: number, inMode: false, alternateScreen: false, title: '' },
  ...more,
});
const recorded = (number: number, more: Partial<RecordedPane> = {}): RecordedPane => ({
  paneId: `%${number}`,
  sessionId: '$1',
  server: here,
  ...more,
});
const never = (): boolean => false;
const idOf = (found: ListedPane | null): string | null => found?.paneId ?? null;
const numbers = fc.uniqueArray(fc.nat(20), { minLength: 1, maxLength: 6 });

test('in its own session it is the recorded pane or none, wherever it stands and whatever runs in the others', () => {
  fc.assert(
    fc.property(numbers, fc.nat(20), fc.nat(20), (ids, id, toolIn) => {
      const panes = ids.map((number) => pane(number));
      const found = agentPaneIn(panes, recorded(id), ({ paneId }) => paneId === `%${toolIn}`);
      expect(idOf(found)).toBe(ids.includes(id) ? `%${id}` : null);
    }),
  );
});

test('an id of another server means nothing: in a session that somebody made again no pane is taken for the agent', () => {
  fc.assert(
    fc.property(numbers, (ids) => {
      const panes = ids.map((number) => pane(number, { server: elsewhere }));
      expect(agentPaneIn(panes, recorded(ids[0]!), never)).toBeNull();
      expect(ownPaneIn(panes, recorded(ids[0]!)).known).toBe(false);
    }),
  );
});

test('neither does the record of a session that has ended, where there is another one of its name', () => {
  const panes = [pane(4, { sessionId: '$2' }), pane(5, { sessionId: '$2' })];
  expect(agentPaneIn(panes, recorded(3), never)).toBeNull();
  expect(idOf(agentPaneIn(panes, recorded(3), ({ paneId }) => paneId === '%5'))).toBe('%5');
});

test('without a record it is the one that a command of ours was begun in, then the one with its tool, then the first', () => {
  fc.assert(
    fc.property(numbers, fc.nat(20), fc.nat(20), (ids, begun, toolIn) => {
      const panes = ids.map((number) => pane(number, { begunByUs: number === begun }));
      const found = agentPaneIn(panes, null, ({ paneId }) => paneId === `%${toolIn}`);
      const expected = [begun, toolIn].find((number) => ids.includes(number)) ?? Math.min(...ids);
      expect(idOf(found)).toBe(`%${expected}`);
    }),
  );
});

test('a pane of ours counts although its record could not be written', () => {
  expect(idOf(agentPaneIn([pane(3), pane(9, { begunByUs: true })], recorded(1), never))).toBe('%9');
});

test('what another program recorded counts by its id alone', () => {
  const others = recorded(4, { sessionId: null, server: null });
  expect(idOf(agentPaneIn([pane(3), pane(4)], others, never))).toBe('%4');
  expect(agentPaneIn([pane(3)], others, never)).toBeNull();
});

test('an empty session has none', () => {
  expect(agentPaneIn([], null, never)).toBeNull();
  expect(agentPaneIn([], recorded(1), never)).toBeNull();
});
