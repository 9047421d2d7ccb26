// `npm run test:stable -- --times 20 --load 4 [files]`: runs tests again and again, each time in another order and with other draws, beside
// busy loops, and says which test failed how often.
import { spawn } from 'node:child_process';
import { testStep } from './tiers.mjs';
import { titleOf } from './verdict.mjs';

/**
 * @param {import('./run-steps.mjs').StepRunner} steps
 * @param {{ times: number, load: number, files: string[] }} options `load`: so many programs that only compute run beside the tests
 * @returns {Promise<number>} 0 where no test failed in any run
 */
export async function huntUnstable(steps, { times, load, files }) {
  const loops = Array.from({ length: load }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const end = () => {
    for (const loop of loops) loop.kill('SIGKILL');
  };
  // However this process ends.
  process.on('exit', end);
  const failures = new Map();
  let broken = 0;
  for (let time = 1; time <= times; time += 1) {
    const seed = String(Math.floor(Math.random() * 2 ** 31));
    const step = testStep(`run ${time} of ${times}, HOUMAO_TEST_SEED=${seed}`, 0, [], files, {
      HOUMAO_TEST_SEED: seed,
    });
    const { code, failed } = await steps.run({ ...step, again: undefined });
    if (code !== 0 && failed.length === 0) broken += 1;
    for (const test of failed) {
      const known = failures.get(titleOf(test)) ?? { seeds: [], why: test.why };
      failures.set(titleOf(test), { ...known, seeds: [...known.seeds, seed] });
    }
  }
  end();
  console.log(tableOf(failures, times, broken));
  return failures.size === 0 && broken === 0 ? 0 : 1;
}

function tableOf(failures, times, broken) {
  const rows = [...failures]
    .sort(([, a], [, b]) => b.seeds.length - a.seeds.length)
    .map(
      ([title, { seeds, why }]) =>
        `${seeds.length} of ${times}  ${title}\n    seeds ${seeds.join(' ')}\n${why.replace(/^/gm, '    ')}`,
    );
  const others =
    broken === 0
      ? []
      : [`${broken} of ${times}  failed without a test that did; see the logs in build/gate/`];
  return [...rows, ...others, `${failures.size + others.length} unstable in ${times} runs`].join('\n');
}
