import { expect, test } from 'vitest';
import {
  type ClientProcess,
  controlArguments,
  leftClients,
  ownerIn,
  ownerMark,
} from '../../../src/terminal/control-client.js';

const left: ClientProcess = {
  pid: 40,
  parent: 1,
  args: ['tmux', ...controlArguments('/s', 'agent', 'hearing'), ''],
  owner: { pid: 30, startedAt: '7' },
  ownerLives: false,
  sharesPids: true,
};

test('a connection whose owner has ended was left, at whatever server', () => {
  const elsewhere = { ...left, pid: 41, args: ['tmux', ...controlArguments(null, null, 'deaf'), ''] };
  expect(leftClients([left, elsewhere])).toEqual([left, elsewhere]);
});

test.each<[string, Partial<ClientProcess>]>([
  ['its owner lives', { ownerLives: true }],
  ['its owner is its parent still', { parent: 30 }],
  ['it names no owner', { owner: null }],
  ['its owner is counted by other pids', { sharesPids: false }],
  ['a person started it', { args: ['tmux', '-C', 'attach-session', '-t', 'agent', ''] }],
  ['it shows no arguments', { args: [''] }],
])('a client stays where %s', (_, fact) => {
  expect(leftClients([{ ...left, ...fact }])).toEqual([]);
});

test('the owner is read from among the variables as it was written', () => {
  const owner = { pid: 30, startedAt: '7' };
  const [[name = '', value = ''] = []] = Object.entries(ownerMark(owner));
  expect(ownerIn(`${name}=${value}\0`)).toEqual(owner);
  expect(ownerIn(`PATH=/bin\0${name}=${value}\0HOME=/\0`)).toEqual(owner);
  expect(ownerIn(`PATH=/bin\0NOT_${name}=${value}\0`)).toBeNull();
  expect(ownerIn(`PATH=${name}=${value}\0`)).toBeNull();
  expect(ownerIn(`${name}=\0${name}=x:1\0${name}=30\0`)).toBeNull();
  expect(ownerIn('')).toBeNull();
});
