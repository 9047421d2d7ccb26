import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { MethodAnswers, type MethodCall } from '../../../../../src/mail/jmap/client/method-calls.js';

const server = { shown: 'http://127.0.0.1:1/jmap/', secrets: ['hunter2'], changes: true };
const Schema = Type.Object({ list: Type.Array(Type.Number()) });
const get: MethodCall = ['Email/get', {}, 'get'];
const answers = (...methodResponses: unknown[]) => new MethodAnswers({ methodResponses }, server);

test('an answer is found by call and method: what a call causes answers under its name, too', () => {
  const submit: MethodCall = ['EmailSubmission/set', {}, 'get'];
  const both = answers(['EmailSubmission/set', { list: [1] }, 'get'], ['Email/get', { list: [2] }, 'get']);
  expect(both.of(get, Schema)).toEqual({ list: [2] });
  expect(both.of(submit, Schema)).toEqual({ list: [1] });
});

test('an error says its kind, and never the secret that the server repeats', () => {
  const error = { type: 'forbidden', description: 'hunter2 is\u001b[31m wrong' };
  expect(() => answers(['error', error, 'get']).of(get, Schema)).toThrow(
    expect.objectContaining({
      code: 'server_refused',
      type: 'forbidden',
      outcomeUnknown: false,
      message: 'http://127.0.0.1:1/jmap/ refused Email/get: forbidden (*** is\ufffd[31m wrong)',
    }),
  );
});

test('a server that did a part of it and failed may have done it', () => {
  const partly = answers(['error', { type: 'serverPartialFail' }, 'get']);
  expect(() => partly.of(get, Schema)).toThrow(expect.objectContaining({ outcomeUnknown: true }));
});

test('where nothing was to be changed, nothing may be done', () => {
  const look = new MethodAnswers({ methodResponses: [] }, { ...server, changes: false });
  expect(() => look.of(get, Schema)).toThrow(expect.objectContaining({ outcomeUnknown: false }));
});

test('an error without a kind says that', () => {
  expect(() => answers(['error', {}, 'get']).of(get, Schema)).toThrow(
    'refused Email/get, and did not say why',
  );
});

test.each([
  ['nothing', []],
  ['another call', [['Email/get', { list: [1] }, 'other']]],
  ['another shape', [['Email/get', { list: ['a'] }, 'get']]],
])('%s is no usable answer, and it may be done', (_what, responses) => {
  expect(() => answers(...responses).of(get, Schema)).toThrow(
    expect.objectContaining({ code: 'server_refused', outcomeUnknown: true }),
  );
});

test('a long word of the server is cut', () => {
  const error = { type: 'x'.repeat(5000) };
  expect(() => answers(['error', error, 'get']).of(get, Schema)).toThrow(/^.{1,260}$/);
});

test.each([[undefined], [null], [{}], [{ methodResponses: [['Email/get', {}]] }], ['text']])(
  '%o is no answer',
  (value) => {
    expect(() => new MethodAnswers(value, server)).toThrow('gave no JMAP answer');
  },
);
