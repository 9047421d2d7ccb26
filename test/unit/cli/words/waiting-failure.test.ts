import { GatewayError, PromptFailed, type Schemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { promptFailure, waitFailure } from '../../../../src/cli/words/waiting-failure.js';

const id = 'gwreq-20260313-000000Z-deadbeef';
const failed = (fields: Partial<ConstructorParameters<typeof GatewayError>[0]>) =>
  new GatewayError({
    status: null,
    errorCode: 'connection_failed',
    detail: 'Why.',
    operationId: null,
    ...fields,
  });
const reported = (fields: Parameters<typeof failed>[0], runningTurn: string | null = null) => {
  const { message, exitCode } = promptFailure(failed(fields), 'alpha', "--new -- 'a b'", runningTurn);
  return [exitCode, ...message.split('\n')];
};
const waysBack = [
  `  wait for its answer          houmao-mgr agents requests wait alpha ${id}`,
  `  look at it                   houmao-mgr agents requests show alpha ${id}`,
  `  take it back while it waits  houmao-mgr agents requests cancel alpha ${id}`,
];

test('a queued prompt that was waited for no longer is not known, never refused', () => {
  const aboutIt = [
    3,
    `Request ${id} was not refused; its result is not known yet. Why.`,
    ...waysBack,
    '  if no gateway answers        houmao-mgr agents gateway attach alpha',
  ];
  expect(reported({ requestId: id })).toEqual(aboutIt);
  expect(reported({ requestId: id, errorCode: 'http_401', status: 401 })).toEqual(aboutIt);
});

test('a gateway of the older implementation has the prompt and says no more: one of this release finds it', () => {
  expect(reported({ requestId: id, errorCode: 'http_404', status: 404 })).toEqual([
    3,
    expect.stringContaining(`has request ${id}.`),
    '  replace it with one of this release  houmao-mgr agents gateway attach alpha --restart',
    `  then ask for the request             houmao-mgr agents requests show alpha ${id}`,
  ]);
});

test('Ctrl-C leads back to what was queued, and once it runs to the end of that turn alone', () => {
  const left = { requestId: id, errorCode: 'aborted' } as const;
  expect(reported(left)).toEqual([130, 'Why.', ...waysBack]);
  expect(reported(left, 'turn-1').slice(2)).toEqual([
    `  wait for its answer  houmao-mgr agents requests wait alpha ${id}`,
    `  look at it           houmao-mgr agents requests show alpha ${id}`,
    '  stop it              houmao-mgr agents interrupt alpha --turn turn-1',
  ]);
});

test('a prompt that may be queued is asked for again with its key', () => {
  const again = [
    'Why.',
    "  ask again           houmao-mgr agents prompt alpha --idempotency-key k-1 --new -- 'a b'",
    '  see what is queued  houmao-mgr agents requests list alpha',
  ];
  expect(reported({ idempotencyKey: 'k-1' })).toEqual([3, ...again]);
  expect(reported({ idempotencyKey: 'k-1', status: 500, errorCode: 'http_500' })).toEqual([3, ...again]);
  expect(reported({ idempotencyKey: 'k-1', errorCode: 'aborted' })).toEqual([130, ...again]);
});

test('where nothing was queued, that is said', () => {
  expect(reported({ sent: false })).toEqual([6, 'Nothing was queued: Why.']);
  expect(
    reported({ sent: false, errorCode: 'aborted', detail: 'Stopped waiting. Nothing was queued.' }),
  ).toEqual([130, 'Stopped waiting. Nothing was queued.']);
});

test('only a refusal is called one', () => {
  expect(reported({ status: 409, errorCode: 'http_409' })).toEqual([
    1,
    'The gateway refused the prompt (http_409): Why.',
  ]);
  const atServer = promptFailure(
    failed({ status: 409, errorCode: 'http_409' }),
    'beta@nowhere',
    '-- Hi',
    null,
    ' --server http://127.0.0.1:9889',
  );
  expect(atServer.message).toBe('The prompt was refused (http_409): Why.');
});

test('a prompt that lapsed is not called failed', () => {
  const error = { code: 'lapsed', detail: 'Why.' };
  const record = { request_id: id, state: 'failed', error } as unknown as ConstructorParameters<
    typeof PromptFailed
  >[0];
  const { message, exitCode } = promptFailure(new PromptFailed(record), 'beta@ws2', '-- Hi', null);
  expect([exitCode, message]).toEqual([1, `Request ${id} lapsed, and never runs. Why.`]);
});

test('a turn that failed has ended; a state that is not known has not been understood', () => {
  const record = { request_id: id, state: 'failed', error: { code: 'agent_failed', detail: 'Exit 3.' } };
  const ended = new PromptFailed(record as Schemas['RequestRecord']);
  const waited = { requestId: id, runningTurn: null };
  expect(waitFailure(ended, waited, 'alpha')).toMatchObject({
    exitCode: 1,
    message: 'The prompt failed (agent_failed): Exit 3.',
  });
  const untyped = { ...record, error: { code: 'dispatch_failed', detail: 'The tool has ended.' } };
  expect(waitFailure(new PromptFailed(untyped as Schemas['RequestRecord']), waited, 'alpha')).toMatchObject({
    exitCode: 1,
    remedies: [['find out why', 'houmao-mgr agents doctor alpha']],
  });
  const unknown = { ...record, state: 'archived', error: null } as unknown as Schemas['RequestRecord'];
  expect(waitFailure(new PromptFailed(unknown), waited, 'alpha')).toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('`archived`'),
  });
});
