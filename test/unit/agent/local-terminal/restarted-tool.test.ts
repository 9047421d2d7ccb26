import { expect, test } from 'vitest';
import { RestartedTool } from '../../../../src/agent/local-terminal/restarted-tool.js';

const tool = (pid: number) => ({ pid, args: ['claude'] }) as never;

function following(answers: readonly (string | null | Error)[]) {
  const told: string[] = [];
  let asked = 0;
  const restarted = new RestartedTool(
    '2.1.330',
    async () => {
      const answer = answers[asked] ?? null;
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    (version) => told.push(version),
  );
  return { restarted, told, asked: () => asked };
}

test('the tool that was launched is not asked, one that was started anew is, once', async () => {
  const { restarted, told, asked } = following(['2.2.0']);
  for (const seen of [tool(1), null, tool(1), null, tool(2), tool(2)]) await restarted.saw(seen);
  expect([asked(), told, restarted.version]).toEqual([1, ['2.2.0'], '2.2.0']);
});

test('the same version, and one that is not told, change nothing', async () => {
  const { restarted, told } = following(['2.1.330', null, new Error('gone')]);
  for (const pid of [1, 2, 3, 4]) await restarted.saw(tool(pid));
  expect([told, restarted.version]).toEqual([[], '2.1.330']);
});
