import { HoumaoError } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { promptAtServerFailure } from '../../../../src/cli/words/waiting-failure.js';
import { activeTurn, queuesWithGateway } from '../../../../src/server/turns/prompt-plan.js';

const reported = (detail: string, server = '') =>
  promptAtServerFailure(
    new HoumaoError({ status: 409, errorCode: 'agent_busy', detail, operationId: 'submitAgentRequest' }),
    ...(['alpha', server, "-- 'again'", null] as const),
  );

test('a busy agent is prompted later by commands, not by the routes of its server', () => {
  expect(reported(activeTurn('claude-1f', 'turn-1', queuesWithGateway).detail)).toMatchObject({
    exitCode: 1,
    errorCode: 'agent_busy',
    message: [
      'alpha works on turn turn-1, and a server hands a prompt over at once or not at all.',
      '  wait for that turn                     houmao-mgr agents turns wait alpha turn-1',
      '  start a gateway, which queues prompts  houmao-mgr agents gateway attach alpha',
    ].join('\n'),
  });
});

test('one whose gateway queues is prompted by that', () => {
  const { remedies } = reported(
    activeTurn('claude-1f', 'turn-1', '`/gateway/requests` queues it').detail,
    ' --server http://h:1',
  );
  expect(remedies.map(([, command]) => command)).toEqual([
    'houmao-mgr agents turns wait alpha turn-1 --server http://h:1',
    'houmao-mgr agents prompt alpha',
  ]);
});

test('what else keeps an agent from a prompt is said as the server says it', () => {
  const { detail, remedies } = reported('Its terminal shows a dialog.');
  expect([detail, remedies]).toEqual([expect.stringContaining('Its terminal shows a dialog.'), []]);
});
