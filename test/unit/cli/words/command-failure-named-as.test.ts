import { expect, test } from 'vitest';
import { CommandFailure, namedAs } from '../../../../src/cli/words/command-failure.js';

test('a failure of a server that names an agent by its own id gets the words of the operator', () => {
  const failure = new CommandFailure('Agent `claude-1f` works; stop claude-1f first.', 5, {
    errorCode: 'agent_busy',
    remedies: [['list them', 'list']],
    turnId: 'turn-1',
  });
  expect(namedAs(failure, { tracked_agent_id: 'claude-1f' }, 'alpha')).toMatchObject({
    detail: 'Agent alpha works; stop alpha first.',
    exitCode: 5,
    errorCode: 'agent_busy',
    hint: null,
    remedies: [['list them', 'list']],
    turnId: 'turn-1',
    requestId: null,
  });
});
