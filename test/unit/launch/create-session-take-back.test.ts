import { expect, test } from 'vitest';
import { TakeBack } from '../../../src/launch/create-session.js';

test('what was made last goes first, and one that stays keeps no other; what is kept is reported', async () => {
  const gone: string[] = [];
  const made = new TakeBack();
  made.add('files', () => gone.push('files'));
  made.add('session', async () => {
    await Promise.resolve();
    throw new Error('no tmux');
  });
  made.add('record', () => gone.push('record'));
  made.keep('account');
  expect(await made.run()).toEqual(['account', 'session']);
  expect(gone).toEqual(['record', 'files']);
  expect(await made.run()).toEqual([]);
});
