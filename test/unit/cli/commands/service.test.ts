import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bootScript, unitText } from '../../../../src/cli/commands/service.js';

const command = {
  program: ['/usr/bin/node', '/opt/hou mao/houmao-mgr.js'],
  environment: { PATH: '/a b:/usr/bin', TMUX_TMPDIR: '/tmp/100%$HOME"' },
};

test('the unit runs both steps with the words as they are, and ends nothing when it is stopped', () => {
  const lines = unitText(command).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'KillMode=process',
      'Environment="PATH=/a b:/usr/bin"',
      'Environment="TMUX_TMPDIR=/tmp/100%%$$HOME\\""',
      'ExecStart=-"/usr/bin/node" "/opt/hou mao/houmao-mgr.js" "agents" "restart" "--all"',
      'ExecStart="/usr/bin/node" "/opt/hou mao/houmao-mgr.js" "server" "start"',
    ]),
  );
});

test('no word of unit or script can begin a line of its own or leave its quotes', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')),
      (word) => {
        const odd = { program: [word], environment: { PATH: word } };
        expect(unitText(odd).split('\n')).toHaveLength(unitText(command).split('\n').length - 1);
        expect(bootScript(odd).startsWith('#!/bin/sh\n')).toBe(true);
      },
    ),
  );
});
