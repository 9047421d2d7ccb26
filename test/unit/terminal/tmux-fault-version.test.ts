import { expect, test } from 'vitest';
import { Tmux } from '../../../src/terminal/tmux.js';
import { tooOld } from '../../../src/terminal/tmux-fault.js';
import { oldTmux } from '../../support/old-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test.each([
  'tmux 3.2',
  'tmux 3.3a',
  'tmux 3.10',
  'tmux next-3.5',
  'tmux 4.0',
  'tmux master',
  'tmux openbsd-7.1',
  '',
])('%j will do', (reported) => expect(tooOld(reported)).toBeNull());

test.each(['tmux 3.1c', 'tmux 2.9', 'tmux 1.8'])('%j is too old', (reported) =>
  expect(tooOld(reported)).toBe(`${reported} is too old: an agent in a terminal needs tmux 3.2 or later`),
);

test('the tmux that is found is asked', async () => {
  await expect(oldTmux(temporaryFolder()).requireTerminals()).rejects.toThrow('tmux 3.1c is too old');
  const found = new Tmux({ environment: { PATH: process.env.PATH } });
  await expect(found.requireTerminals()).resolves.toBeUndefined();
});
