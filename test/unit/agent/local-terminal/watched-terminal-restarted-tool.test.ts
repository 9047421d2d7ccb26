import { expect, test } from 'vitest';
import { RestartedTool } from '../../../../src/agent/local-terminal/watched-terminal.js';

const tool = (pid: number) => ({ pid, args: ['claude'] }) as never;

function following(answers: readonly (string | null | Error)[], launched: string | null = '2.1.330') {
  const reported: string[] = [];
  let asked = 0;
  const restarted = new RestartedTool(
    launched,
    async () => {
      const answer = answers[asked] ?? null;
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    (version) => reported.push(version),
  );
  return { restarted, reported, asked: () => asked };
}

test('the tool that was launched is not asked, one that was started again is, once', async () => {
  const { restarted, reported, asked } = following(['2.2.0']);
  for (const seen of [tool(1), null, tool(1), null, tool(2), tool(2)]) await restarted.saw(seen);
  expect([asked(), reported, restarted.version]).toEqual([1, ['2.2.0'], '2.2.0']);
});

test('the same version, and one that is not reported, change nothing', async () => {
  const { restarted, reported } = following(['2.1.330', null, new Error('gone')]);
  for (const pid of [1, 2, 3, 4]) await restarted.saw(tool(pid));
  expect([reported, restarted.version]).toEqual([[], '2.1.330']);
});

test('a version that the launch did not learn is asked for again, until it is reported', async () => {
  const { restarted, reported, asked } = following([null, new Error('busy'), '2.1.330'], null);
  for (let look = 0; look < 5; look += 1) await restarted.saw(tool(1));
  expect([asked(), reported, restarted.version]).toEqual([3, ['2.1.330'], '2.1.330']);
});

test('a tool that never tells its version is left in peace', async () => {
  const { restarted, asked } = following([], null);
  for (let look = 0; look < 10; look += 1) await restarted.saw(tool(1));
  expect([asked(), restarted.version]).toEqual([3, null]);
});

test('looks while it is asked ask nothing; an answer from before another start does not count', async () => {
  const answers: ((version: string) => void)[] = [];
  const ask = () => new Promise<string>((resolve) => void answers.push(resolve));
  const reported: string[] = [];
  const restarted = new RestartedTool(null, ask, (version) => reported.push(version));
  const first = restarted.saw(tool(1));
  await restarted.saw(tool(1));
  await restarted.saw(tool(2));
  expect(answers).toHaveLength(1);
  answers[0]?.('2.1.330');
  await first;
  const second = restarted.saw(tool(2));
  answers[1]?.('2.2.0');
  await second;
  expect([reported, restarted.version]).toEqual([['2.2.0'], '2.2.0']);
});
