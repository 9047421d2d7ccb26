import { HoumaoError } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { promptAtServerFailure } from '../../../../src/cli/words/waiting-failure.js';

const reported = (detail: string, headers: Record<string, string>, server = '') =>
  promptAtServerFailure(
    new HoumaoError({
      status: 409,
      errorCode: 'agent_busy',
      detail,
      operationId: 'submitAgentRequest',
      headers: new Headers(headers),
    }),
    ...(['alpha', server, "-- 'again'", null] as const),
  );

test('a busy agent is prompted later by commands, not by the routes of its server', () => {
  const busy = reported('It works.', { 'X-Houmao-Active-Turn-Id': 'turn-1' }, ' --server http://h:1');
  expect(busy).toMatchObject({
    exitCode: 1,
    errorCode: 'agent_busy',
    message: [
      'alpha works on turn turn-1, and without a gateway a prompt is handed over at once or not at all.',
      '  wait for that turn                     houmao-mgr agents turns wait alpha turn-1 --server http://h:1',
      '  start a gateway, which queues prompts  houmao-mgr agents gateway attach alpha --server http://h:1',
    ].join('\n'),
  });
});

test('what else keeps an agent from a prompt is said as the server says it', () => {
  const { detail, remedies } = reported('Its terminal shows a dialog.', {});
  expect([detail, remedies]).toEqual([expect.stringContaining('Its terminal shows a dialog.'), []]);
});
