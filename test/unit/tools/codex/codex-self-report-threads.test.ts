import { expect, it } from 'vitest';
import { threadsOf } from '../../../../src/tools/codex/codex-self-report.js';
import { sampleText } from '../session-sample.js';

const links = sampleText('codex/proc-fd.txt').split('\n');
const [first, second] = ['01a2047e-2aa3-7d71-8c2e-58c95ac6eee4', '01a2047e-db37-7380-99ad-8fcd7ffba3b3'];
const day = '/home/agent/.codex/sessions/2026/11/22';

it('threads before and after their first prompt', () => {
  const after = links.findIndex((line) => line.startsWith('after'));
  expect(threadsOf(links.slice(0, after))).toEqual([{ id: first, rollout: null }]);
  const all = [
    { id: first, rollout: `${day}/rollout-2026-11-22T18-21-47-${first}.jsonl` },
    { id: second, rollout: `${day}/rollout-2026-11-22T18-22-32-${second}.jsonl` },
  ];
  expect(threadsOf(links.slice(after))).toEqual(all);
  expect(threadsOf([...links].reverse())).toEqual(all.reverse());
});

it('other open files are none', () => {
  expect(
    threadsOf([
      ...['socket:[1234]', 'pipe:[1]', '/dev/null', `/x/${first}.lock`, `/x/rollout-${first}.txt`],
      ...[
        `/home/agent/.codex/thread-writer-locks/${first}.lock (deleted)`,
        `${day}/rollout-${first}.jsonl.tmp`,
      ],
    ]),
  ).toEqual([]);
});
