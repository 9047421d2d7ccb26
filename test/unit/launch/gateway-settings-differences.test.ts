import { expect, test } from 'vitest';
import type { GatewaySettings } from '../../../src/launch/gateway-settings.js';
import { differencesFrom, flagsLost, type RunningGateway } from '../../../src/launch/gateway-settings.js';

const nothing: GatewaySettings = {
  host: null,
  port: null,
  mode: null,
  diagnosticLog: null,
  keeping: {},
  flags: [],
};
const running: RunningGateway = {
  host: '127.0.0.1',
  port: 5555,
  execution_mode: 'detached_process',
  diagnosticLog: false,
  keeping: { retain_days: 30, log_bytes: null, log_files: null, log_days: null },
  words: ['node', 'houmao-gateway.js', '--allowed-host', 'here', '--allowed-user', 'ann'],
};

test.each<[Partial<GatewaySettings>, string[]]>([
  [{}, []],
  [{ host: '127.0.0.1', port: 5555, mode: 'detached_process', diagnosticLog: false }, []],
  [{ port: 0 }, []],
  [{ flags: ['--allowed-host', 'here', '--allowed-user', 'ann'] }, []],
  [{ host: '0.0.0.0' }, ['it listens on 127.0.0.1, not 0.0.0.0']],
  [{ port: 5556 }, ['its port is 5555, not 5556']],
  [{ mode: 'tmux_auxiliary_window' }, ['it runs in the background, not in a window']],
  [{ diagnosticLog: true }, ['it keeps no diagnostic log']],
  [{ keeping: { retain_days: 30 } }, []],
  [{ keeping: { retain_days: 7 } }, ['it does not run with --retain-days 7']],
  [
    { keeping: { retain_days: null, log_bytes: 2 * 1024 * 1024 } },
    ['it does not run with --retain-days never', 'it does not run with --log-size 2M'],
  ],
  [{ flags: ['--allowed-host', 'ann'] }, ['it was started without --allowed-host ann']],
  [{ flags: ['--allowed-user', 'here'] }, ['it was started without --allowed-user here']],
])('of the request %j a running gateway lacks %j', (requested, differences) => {
  expect(differencesFrom({ ...nothing, ...requested }, running)).toEqual(differences);
});

test.each([
  [[], ['--allowed-host here', '--allowed-user ann']],
  [['--allowed-user', 'ann'], ['--allowed-host here']],
  [
    ['--allowed-host', 'ann'],
    ['--allowed-host here', '--allowed-user ann'],
  ],
  [['--allowed-host', 'here', '--allowed-user', 'ann'], []],
])('a start with %j lacks %j of the one before', (again, lost) => {
  expect(flagsLost([...running.words, '--port', '1', '--allowed-origin'], again)).toEqual(lost);
});

test('a gateway of an earlier release kept its days for itself: they are named where the next start has others', () => {
  expect(flagsLost(['houmao-gateway.js', '--retain-days', '30'], ['--retain-days', '7'])).toEqual([
    '--retain-days 30',
  ]);
});
