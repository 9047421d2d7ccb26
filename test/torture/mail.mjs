// `npm run torture -- --mail [--rounds N]`: processes that deliver, move, mark, register and repair in one mailbox root are
// killed at any moment, so often; after each round nothing may be lost, doubled or half visible.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { mail: { type: 'boolean' }, rounds: { type: 'string', default: '500' } },
});
const rounds = Number(values.rounds);
const test = 'test/unit/mail/filesystem/repair/recover-left.test.ts';
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(
  process.execPath,
  [vitest, 'run', test, '-t', 'whenever processes are killed', '--testTimeout', String(rounds * 20_000)],
  { stdio: 'inherit', env: { ...process.env, HOUMAO_MAIL_KILLS: String(rounds) } },
);
const [code] = await once(child, 'exit');
process.exitCode = code ?? 1;
