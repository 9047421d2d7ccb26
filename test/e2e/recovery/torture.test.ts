import { execFile } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startGateway } from '../../support/gateway-process.js';
import { promptAndWait } from '../../support/http.js';
import { makeSession } from '../../support/test-session.js';
import { linesOf, withDatabase } from './evidence.js';

const project = new URL('../../../', import.meta.url).pathname;
/** Its few rounds have kills of the process, of its group, and while it starts. */
const seed = '34614';

test('five rounds of kills under load break no promise', async () => {
  const options = ['--rounds', '5', '--seed', seed];
  const run = promisify(execFile)(process.execPath, ['test/torture/run.mjs', ...options], { cwd: project });
  const { stdout } = await run.catch((error) => error);
  expect(stdout).toMatch(/^torture: ok;.* 0 violations$/m);
}, 240_000);

interface Submission {
  key: string;
  kind: string;
  prompt: string;
  sent: number;
  acknowledged: number;
  requestId: string;
}
type Check = (session: unknown, load: unknown, final: boolean) => string[];

test('the checker sees a lost row, a second run, a wrong order, a doubled event and an open end', async () => {
  const { check } = (await import(`${project}test/torture/check.mjs`)) as { check: Check };
  const session = await makeSession();
  const gateway = await startGateway(session);
  const submissions: Submission[] = [];
  for (const prompt of ['one', 'two', 'three']) {
    const record = await promptAndWait(gateway.url, prompt);
    const sent = submissions.length * 2 + 1;
    submissions.push({
      key: prompt,
      kind: 'submit_prompt',
      prompt,
      sent,
      acknowledged: sent + 1,
      requestId: record.request_id,
    });
  }
  expect(await gateway.stop()).toBe(0);
  const load = { submissions, dispatched: [], unanswered: new Set(), cancelled: new Set() };
  expect(check(session, load, true)).toEqual([]);

  const ledger = linesOf(session.ledger);
  const restoreLedger = () => writeFileSync(session.ledger, `${ledger.join('\n')}\n`);
  appendFileSync(session.ledger, `${ledger[0]}\n`);
  expect(check(session, load, true)).toContain('ran twice: one');
  writeFileSync(session.ledger, `${[2, 3, 0, 1, 4, 5].map((index) => ledger[index]).join('\n')}\n`);
  expect(check(session, load, true)).toContain('ran out of order: one');
  writeFileSync(session.ledger, `${[0, 2, 1, 3, 4, 5].map((index) => ledger[index]).join('\n')}\n`);
  expect(check(session, load, true)).toContain('two agents at once: two');
  restoreLedger();

  const events = linesOf(session.paths.events);
  appendFileSync(session.paths.events, `${events[0]}\n`);
  expect(check(session, load, true).join()).toMatch(/events\.jsonl is not/);
  writeFileSync(session.paths.events, `${events.join('\n')}\n`);
  expect(check(session, load, true)).toEqual([]);

  const id = submissions[2]?.requestId;
  withDatabase(session.paths, (database) =>
    database.prepare(`UPDATE gateway_requests SET state = 'running' WHERE request_id = ?`).run(id),
  );
  expect(check(session, load, true)).toContain(`${id} stayed running`);
  withDatabase(session.paths, (database) =>
    database.prepare('DELETE FROM gateway_requests WHERE request_id = ?').run(id),
  );
  expect(check(session, load, true)).toContain(`lost: ${id} was acknowledged and is not stored`);
  session.remove();
});
