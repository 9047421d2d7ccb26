// `npm run torture -- --mail [--rounds N]`: processes that deliver, move, mark, register and repair in one mailbox root are
// killed at any moment, so often; after each round nothing may be lost, doubled or half visible. With `--together N`, two
// processes deliver so many messages into one root at once, and then one of ours beside one of the older implementation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    mail: { type: 'boolean' },
    rounds: { type: 'string', default: '500' },
    together: { type: 'string' },
  },
});
const [file, name, count, variable] =
  values.together === undefined
    ? ['repair/recover-left', 'whenever processes are killed', values.rounds, 'HOUMAO_MAIL_KILLS']
    : [
        'mailbox/deliver-together',
        'two processes that deliver|beside one that locks',
        values.together,
        'HOUMAO_MAIL_TOGETHER',
      ];
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(
  process.execPath,
  [
    vitest,
    'run',
    `test/unit/mail/filesystem/${file}.test.ts`,
    '-t',
    name,
    '--testTimeout',
    String(count * 20_000),
    '--hookTimeout',
    '600000',
  ],
  { stdio: 'inherit', env: { ...process.env, [variable]: count } },
);
const [code] = await once(child, 'exit');
process.exitCode = code ?? 1;
