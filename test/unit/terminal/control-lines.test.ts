import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ControlEvent,
  ControlLines,
  commandLine,
  unescaped,
} from '../../../src/terminal/control-lines.js';

const readAll = (lines: readonly string[]): ControlEvent[] => {
  const reader = new ControlLines();
  return lines.map((line) => reader.read(line)).filter((event) => event !== null);
};

test('tells replies, ours from others, and output from what nobody listens to', () => {
  expect(
    readAll([
      '%begin 1700000000 10 0',
      '%end 1700000000 10 0',
      '%session-changed $0 one',
      '%output %3 \\033[2Jhello',
      '%begin 1700000001 11 1',
      'first',
      '',
      '%end 1700000001 11 1',
      '%extended-output %4 12 : text',
      '%begin 1700000002 12 1',
      "can't find pane: %9",
      '%error 1700000002 12 1',
      '%exit too far behind',
      '%exit',
    ]),
  ).toEqual([
    { kind: 'reply', ours: false, failed: false, lines: [] },
    { kind: 'output', paneId: '%3', data: '\\033[2Jhello' },
    { kind: 'reply', ours: true, failed: false, lines: ['first', ''] },
    { kind: 'output', paneId: '%4', data: 'text' },
    { kind: 'reply', ours: true, failed: true, lines: ["can't find pane: %9"] },
    { kind: 'exit', reason: 'too far behind' },
    { kind: 'exit', reason: null },
  ]);
});

test('a screen may hold whatever it likes: its lines are those between begin and the end of the same number', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('%end 1 1 1', '%error 1 2 1', '%begin 1 3 1', '%output %1 x', '%exit', '%end'),
  );
  fc.assert(
    fc.property(fc.array(line), fc.boolean(), (screen, failed) => {
      const lines = ['%begin 9 9 1', ...screen, `%${failed ? 'error' : 'end'} 9 9 1`, '%output %1 x'];
      expect(readAll(lines)).toEqual([
        { kind: 'reply', ours: true, failed, lines: screen },
        { kind: 'output', paneId: '%1', data: 'x' },
      ]);
    }),
  );
});

test('a command is one line, its arguments in quotes', () => {
  expect(commandLine(['send-keys', '-l', '--', 'a "b" $HOME \\ ;\n\t\u001b'])).toBe(
    '"send-keys" "-l" "--" "a \\"b\\" \\$HOME \\\\ ;\\n\\t\\e"',
  );
  expect(() => commandLine(['a\u0000b'])).toThrow(RangeError);
  expect(() => commandLine(['a\u0085b'])).toThrow(RangeError);
});

test('the output of a program is reported byte by byte', () => {
  expect(unescaped('\\033]7501;state=idle\\007 漢 \\134').toString()).toBe(
    '\u001b]7501;state=idle\u0007 漢 \\',
  );
});
