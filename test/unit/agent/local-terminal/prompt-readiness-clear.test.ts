import { expect, test } from 'vitest';
import { clearComposer } from '../../../../src/agent/local-terminal/prompt-readiness.js';
import { Pane } from '../../../../src/terminal/pane.js';

test('empties the line before and behind the cursor, joins it with its neighbours, and no key ends a tool', async () => {
  const asked: (readonly string[])[] = [];
  const tmux = {
    ask: async (args: readonly string[]) => {
      asked.push(args);
      return [];
    },
    askAll: async () => [],
  };
  await clearComposer(new Pane(tmux, '%7'), 1);
  const keys = asked.map(([command, ...rest]) => [command, rest.slice(0, 2).join(' '), rest[2]]);
  expect(keys).toEqual(
    ['C-u', 'BSpace', 'C-k', 'DC', 'C-u', 'BSpace', 'C-k', 'DC'].map((key) => ['send-keys', '-t %7', key]),
  );
});
