import { describe, expect, test } from 'vitest';
import { dialogInput } from '../../../../standin/src/tui/dialogs.js';
import type { InputEvent, Key } from '../../../../standin/src/tui/input-events.js';
import type { StandinDialog } from '../../../../standin/src/tui/screen-state.js';

const permission = { kind: 'permission', tool: 'Bash', command: 'ls', title: 'List', selected: 0 } as const;
const pressed = (dialog: StandinDialog, key: Key) => dialogInput(dialog, { kind: 'key', key }, '/work');
const typed = (dialog: StandinDialog, text: string) => dialogInput(dialog, { kind: 'text', text }, '/work');

describe('a dialog', () => {
  test('is answered by Enter with what is selected, and cancelled by Escape', () => {
    expect(pressed(permission, 'enter')).toEqual({ key: 'Enter', choice: 'Yes' });
    expect(pressed({ ...permission, selected: 3 }, 'enter')).toEqual({ key: 'Enter', choice: 'No' });
    expect(pressed(permission, 'escape')).toEqual({ key: 'Escape', choice: null });
    expect(pressed(permission, 'ctrl-c')).toEqual({ key: 'C-c', choice: null });
    expect(pressed({ kind: 'trust', selected: 0 }, 'enter')).toEqual({ key: 'Enter', choice: 'No, exit' });
    expect(pressed({ kind: 'rewind' }, 'enter')).toEqual({ key: 'Enter', choice: '(current)' });
  });

  test('has a selection that arrows move and that stays inside', () => {
    expect(pressed(permission, 'down')).toEqual({ selected: 1 });
    expect(pressed(permission, 'up')).toEqual({ selected: 0 });
    expect(pressed({ ...permission, selected: 3 }, 'down')).toEqual({ selected: 3 });
  });

  test('is answered by a digit only where its choices have one', () => {
    expect(typed(permission, '4')).toEqual({ key: '4', choice: 'No' });
    expect(typed(permission, '5')).toBeNull();
    expect(typed(permission, 'y')).toBeNull();
    expect(typed({ kind: 'trust', selected: 0 }, '2')).toBeNull();
  });

  test('does not hear a paste', () => {
    const paste: InputEvent = { kind: 'paste', text: '1' };
    expect(dialogInput(permission, paste, '/work')).toBeNull();
    expect(pressed(permission, 'tab')).toBeNull();
  });
});
