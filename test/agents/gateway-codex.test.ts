// Codex CLI behind the gateway. The working directories are in no git repository.
import { describe, expect, test } from 'vitest';
import { completedTurn, testCommonTurns } from './harness/common-turns.js';
import { gatewayStage } from './harness/gateway-stage.js';

describe.each([
  ['in a process of its own', false],
  ['in a tmux pane', true],
])('codex %s', (_where, tmux) => {
  const current = gatewayStage('codex', { launch: { tmux } });

  testCommonTurns(current);

  test('takes another model and reasoning level for one turn', async () => {
    const { fake, run } = current();
    const execution = { model: { name: 'other-model', reasoning: { level: 4 } } };
    const turn = completedTurn(await run('think harder', { execution }));
    expect(turn.model).toBe('other-model');
    expect(fake.turns('think harder')).toMatchObject([
      { model: 'other-model', reasoning: { effort: 'xhigh' } },
    ]);
    completedTurn(await run('as usual'));
    expect(fake.turns('as usual')).toMatchObject([{ model: 'fake-model' }]);
  });
});
