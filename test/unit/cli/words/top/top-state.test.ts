import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  atFirst,
  type PressedKey,
  pressed,
  type TopAgent,
  type TopDeed,
  type TopDialog,
  type TopState,
} from '../../../../../src/cli/words/top/top-state.js';
import { agentOf, runningTurn } from './any-agent.js';

const alpha = agentOf('alpha');
const beta = agentOf('beta', { state: 'working', running: runningTurn });
const agents = [alpha, beta];
const key = (name: string): PressedKey => ({ name, sequence: name.length === 1 ? name : '' });
const enter: PressedKey = { name: 'return', sequence: '\r' };

/** Presses keys one after the other. */
function after(keys: readonly PressedKey[], from: TopState = atFirst, among: readonly TopAgent[] = agents) {
  let state = from;
  let deed: TopDeed | null = null;
  for (const each of keys) ({ state, deed } = pressed(state, each, among));
  return { state, deed };
}

test.each([
  [['down'], 'id-of-beta'],
  [['j', 'j', 'j'], 'id-of-beta'],
  [['end', 'k'], 'id-of-alpha'],
  [['up'], 'id-of-alpha'],
  [['end', 'home'], 'id-of-alpha'],
])('%o chooses %s', (names, chosen) => {
  expect(after(names.map(key)).state.chosen).toBe(chosen);
});

test('Enter shows the chosen agent, and returns', () => {
  expect(after([key('j'), enter]).state).toMatchObject({ view: 'details', chosen: 'id-of-beta' });
  expect(after([key('j'), enter, enter]).state.view).toBe('list');
});

test('p takes a line and sends it to the agent that was chosen', () => {
  const typed = [key('p'), key('h'), key('q'), { name: 'backspace', sequence: '\u007f' }, key('語')];
  expect(after(typed).state).toMatchObject({ view: 'prompt', typed: 'h語' });
  expect(after([...typed, enter])).toMatchObject({
    state: { view: 'list', typed: '' },
    deed: { kind: 'prompt', agent: alpha, text: 'h語' },
  });
  expect(after([...typed, key('escape')])).toMatchObject({ state: { view: 'list' }, deed: null });
  expect(after([key('p'), enter])).toMatchObject({ state: { notice: 'No prompt was sent.' }, deed: null });
});

test('i asks first, and has nothing to ask where no turn runs', () => {
  expect(after([key('j'), key('i')]).state.view).toBe('interrupt');
  expect(after([key('j'), key('i'), key('y')]).deed).toEqual({ kind: 'interrupt', agent: beta });
  expect(after([key('j'), key('i'), key('n')]).deed).toBeNull();
  expect(after([key('i'), key('y')])).toMatchObject({ state: { view: 'list' }, deed: null });
});

test('a reads the question, and a number answers it', () => {
  expect(after([key('a')]).deed).toEqual({ kind: 'ask', agent: alpha });
  const choices = [{ number: 1, label: 'Yes', marked: true }];
  const dialog = { dialog_id: 'dialog-1', text: 'Proceed?', choices } as unknown as TopDialog;
  const asked: TopState = { ...atFirst, view: 'answer', dialog };
  expect(after([key('1')], asked).deed).toEqual({ kind: 'answer', agent: alpha, dialog, choose: 1 });
  expect(after([key('2')], asked)).toMatchObject({ state: { view: 'list', dialog: null }, deed: null });
});

test('q leaves but is a letter in a prompt; Ctrl-C always leaves', () => {
  expect(after([key('q')]).deed).toEqual({ kind: 'quit' });
  expect(after([key('p'), key('q')])).toMatchObject({ state: { typed: 'q' }, deed: null });
  fc.assert(
    fc.property(fc.array(fc.constantFrom('p', 'i', 'a', 'j', 'x', 'return', '?').map(key)), (keys) => {
      const { state } = after(keys);
      expect(pressed(state, { name: 'c', ctrl: true, sequence: '\u0003' }, agents).deed).toEqual({
        kind: 'quit',
      });
    }),
  );
});

test('no key does anything to an agent where there is none', () => {
  for (const name of ['p', 'a', 'i', 'return', 'j'])
    expect(after([key(name)], atFirst, [])).toMatchObject({ state: { view: 'list' }, deed: null });
});

test('an agent that is gone is not acted on: the first one is chosen', () => {
  const { state } = after([key('j')]);
  expect(pressed(state, enter, [alpha]).state).toMatchObject({ view: 'details', chosen: 'id-of-alpha' });
});
